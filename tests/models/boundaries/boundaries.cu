// What a place sees at and beyond the edge of the grid: existing neighbours, their sum and number, and single values at offsets that are
// there or not. The next value depends on all of it, in arithmetic that wraps.
#include <tessera/model.hpp>

struct Site {
    std::uint32_t value = 7, total = 0, count = 0, corner = 0, far = 0;
    std::uint8_t there = 0;
};
TESSERA_PLACE(Site, value, total, count, corner, far, there);

TESSERA_INIT(Site, number, sets<&Site::value>) {
    self.value = static_cast<std::uint32_t>(self.position.y * self.size.x + self.position.x) * 2654435761u + 1;
}
TESSERA_CALL(Site, survey, around<moore, &Site::value>, around<offsets<offset<2, 0>, offset<0, -3>>, &Site::value>,
             sets<&Site::total, &Site::count, &Site::corner, &Site::far, &Site::there>) {
    self.total = self.sum(moore, &Site::value);
    self.count = 0, self.there = 0;
    self.each(moore, [&](const auto&) { ++self.count; });
    self.corner = self.at(offset<-1, -1>).value;
    self.far = self.at(offset<2, 0>).value + 3 * self.at(offset<0, -3>).value;
    int bit = 0;
    const auto note = [&](bool exists) { self.there = static_cast<std::uint8_t>(self.there | exists << bit++); };
    note(self.exists(west)), note(self.exists(east)), note(self.exists(north)), note(self.exists(south));
    note(self.exists(offset<1, 1>)), note(self.exists(offset<2, 0>)), note(self.exists(offset<0, -3>)), note(self.exists(offset<-1, 1>));
}
TESSERA_CALL(Site, move_on, reads<&Site::total, &Site::count, &Site::corner, &Site::far, &Site::there>, writes<&Site::value>) {
    self.value = self.value * 1664525u + (self.total ^ self.corner) + self.far + 11 * self.count + 13 * self.there;
}

TESSERA_MODEL(boundaries, "what a place sees at the edge");
TESSERA_DEFAULTS(R"toml(run.steps = 10
places.site = { size = [23, 17], boundary = ["open", "torus"] }
phase = [{ exchangeAll = "site" }, { callAll = "site.survey" }, { callAll = "site.move_on" }])toml");
