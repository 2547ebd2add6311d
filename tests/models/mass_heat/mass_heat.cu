// Heat2D as MASS has it: in double, with edge places that copy their inward neighbour before each step (columns first, then rows, so that a
// corner copies its diagonal neighbour), a heater on the first row, and an Euler step of the interior alone.
#include <tessera/model.hpp>

struct Plate {
    double heat = 0;
};
TESSERA_PLACE(Plate, heat);
TESSERA_PARAM(double, r, 0.25, range(0, 0.25), "a dt / dd^2");
TESSERA_PARAM(int, heat_time, 2700, range(0, 2147483647), "number of steps during which the heater is on");

TESSERA_CALL(Plate, copy_columns, around<offsets<west, east>, &Plate::heat>, writes<&Plate::heat>) {
    if (self.position.x == 0) self.heat = self.at(east).heat;
    if (self.position.x == self.size.x - 1) self.heat = self.at(west).heat;
}
TESSERA_CALL(Plate, copy_rows, around<offsets<north, south>, &Plate::heat>, writes<&Plate::heat>) {
    if (self.position.y == 0) self.heat = self.at(south).heat;
    if (self.position.y == self.size.y - 1) self.heat = self.at(north).heat;
}
TESSERA_CALL(Plate, keep_hot, writes<&Plate::heat>) {
    const auto third = self.size.x / 3, x = self.position.x;
    if (std::int64_t(self.step) < heat_time && self.position.y == 0 && x >= third && x < 2 * third) self.heat = 19;
}
TESSERA_CALL(Plate, diffuse, around<von_neumann, &Plate::heat>, writes<&Plate::heat>) {
    const auto p = self.position, n = self.size;
    const double across = self.at(east).heat - 2 * self.heat + self.at(west).heat;
    const double down = self.at(north).heat - 2 * self.heat + self.at(south).heat;
    if (p.x > 0 && p.x < n.x - 1 && p.y > 0 && p.y < n.y - 1) self.heat = self.heat + r * across + r * down;
}

TESSERA_MODEL(mass_heat, "Heat2D of MASS CUDA");
TESSERA_DEFAULTS(R"toml(run.steps = 3000
places.plate = { size = [100, 100], boundary = "fixed" }
phase = [
    { exchangeAll = "plate" }, { callAll = "plate.copy_columns" },
    { exchangeAll = "plate" }, { callAll = "plate.copy_rows" },
    { callAll = "plate.keep_hot" },
    { exchangeAll = "plate" }, { callAll = "plate.diffuse" },
])toml");
