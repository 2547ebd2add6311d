// Life in three dimensions, the rule that Carter Bays (1987) calls 4555, in bytes: what a kernel by hand for volumes is compared with.
#include <tessera/model.hpp>

struct Cell {
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::alive>) {
    const auto n = self.sum(moore, &Cell::alive);
    self.alive = (n == 5) | ((n == 4) & self.alive);
}

TESSERA_MODEL(life3d, "three-dimensional Life, rule 4555");
TESSERA_DEFAULTS(R"toml(run.steps = 50
places.cell = { size = [64, 64, 64], boundary = "torus", init.alive = { random = 0.2 } }
phase = [{ exchangeAll = "cell" }, { callAll = "cell.tick" }])toml");
