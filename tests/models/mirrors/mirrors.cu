// One function sees far to the left and up, the next far to the right and down: a mirror turns the one reach into the other.
#include <tessera/model.hpp>

struct Pane {
    std::uint32_t left = 1, right = 2, count = 0;
};
TESSERA_PLACE(Pane, left, right, count);

inline constexpr auto behind = offsets<offset<-2, 0>, offset<0, -2>>;
inline constexpr auto ahead = offsets<offset<2, 0>, offset<0, 2>>;

TESSERA_INIT(Pane, number, sets<&Pane::left, &Pane::right>) {
    self.left = static_cast<std::uint32_t>(self.position.y * self.size.x + self.position.x) * 2654435761u;
    self.right = self.left ^ 0x5bd1e995u;
}
TESSERA_CALL(Pane, turn, writes<&Pane::left>) { self.left = self.left * 1664525u + 1013904223u; }
TESSERA_CALL(Pane, look_behind, around<behind, &Pane::left>, writes<&Pane::right, &Pane::count>) {
    self.right = self.right * 3 + 5 * self.at(offset<-2, 0>).left + 7 * self.at(offset<0, -2>).left;
    self.each(behind, [&](const auto&) { ++self.count; });
}
TESSERA_CALL(Pane, look_ahead, around<ahead, &Pane::right>, reads<&Pane::count>, writes<&Pane::left>) {
    self.left = self.left * 3 + 5 * self.at(offset<2, 0>).right + 7 * self.at(offset<0, 2>).right + self.count;
}

TESSERA_MODEL(mirrors, "functions that see to opposite sides");
TESSERA_DEFAULTS(R"toml(run.steps = 10
places.pane = { size = [49, 33], boundary = "reflect" }
phase = [{ callAll = "pane.turn" }, { exchangeAll = "pane" }, { callAll = "pane.look_behind" },
         { exchangeAll = "pane" }, { callAll = "pane.look_ahead" }])toml");
