#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = 1;
}

TESSERA_DEFAULTS(R"toml(run.steps = 10
places.cell = { size = [8, 8] }
phase = [{ callAll = "cell.tock" }])toml");

TESSERA_MODEL(defaults_wrong_function, "a broken model");
