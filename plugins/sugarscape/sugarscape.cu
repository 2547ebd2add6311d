// (c) Sugarscape, rules G and M (Epstein and Axtell 1996), simultaneous; who wants the same place is served by random priority.
#include <tessera/model.hpp>

struct Field {
    float sugar = 0, capacity = 0;
};
TESSERA_PLACE(Field, sugar, capacity);
struct Ant {
    float sugar = 0;
    std::uint8_t vision = 1, metabolism = 1;
};
TESSERA_AGENT(Ant, on<Field>, sugar, vision, metabolism);
TESSERA_PARAM(float, growback, 1.0f, range(0, 10), "sugar regrown in a step");

TESSERA_INIT(Field, pile_up, sets<&Field::sugar, &Field::capacity>) {
    const auto hill = [&](std::int64_t cx, std::int64_t cy) {
        const float dx = static_cast<float>(self.position.x - cx), dy = static_cast<float>(self.position.y - cy);
        return 4 - floor(sqrt(dx * dx + dy * dy) / 5);
    };
    self.capacity = max(0.0f, max(hill(self.size.x / 4, 3 * self.size.y / 4), hill(3 * self.size.x / 4, self.size.y / 4)));
    self.sugar = self.capacity;
}
TESSERA_CALL(Field, grow, reads<&Field::capacity>, writes<&Field::sugar>) { self.sugar = min(self.sugar + growback, self.capacity); }

TESSERA_CALL(Ant, look, reads<&Ant::vision>, around<lines_of<6>, &Field::sugar>, counts<lines_of<6>, Ant>, moves<lines_of<6>>) {
    auto best = self.place.here();
    int equal = 1;
    self.place.each(lines_of<6>, [&](const auto& site) { // nearest first
        if (site.distance > self.vision || site.free() == 0) return;
        const bool as_good = site.sugar == best.sugar && site.distance == best.distance;
        if (as_good) equal += 1;
        if (site.sugar > best.sugar) equal = 1;
        if (site.sugar > best.sugar || (as_good && self.random.below(equal) == 0)) best = site;
    });
    self.migrate(best);
}
TESSERA_CALL(Ant, eat, reads<&Ant::metabolism>, writes<&Ant::sugar, &Field::sugar>, dies) {
    self.sugar += self.place.sugar - self.metabolism;
    self.place.sugar = 0;
    if (self.sugar <= 0) self.kill();
}

TESSERA_MODEL(sugarscape, "ants that look for sugar");
TESSERA_DEFAULTS(R"toml(run.steps = 500
places.field = { size = [50, 50], boundary = "torus" }
agents.ant = { count = 400, place = "random", capacity = 1, priority = "random", init = { sugar = { random = "uniform", low = 5, high = 25 }, vision = { random = "below", n = 6, plus = 1 }, metabolism = { random = "below", n = 4, plus = 1 } } }
schedule.exchange = "auto"
phase = [{ callAll = "field.grow" }, { callAll = "ant.look" }, { manageAll = "ant" }, { callAll = "ant.eat" }, { manageAll = "ant" }])toml");
