// Conway's Game of Life: a dead cell with exactly three living neighbours comes alive, a living one with two or three stays alive.
#include <tessera/model.hpp>

struct Cell {
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, alive);
TESSERA_DOC(Cell::alive, "1 if the cell is alive, else 0");
TESSERA_VALUES(Cell::alive, dead, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::alive>) {
    const auto n = self.sum(moore, &Cell::alive);
    self.alive = (n == 3) | ((n == 2) & self.alive);
}

TESSERA_MODEL(life, "Conway's Game of Life");
TESSERA_DEFAULTS(R"toml(run.steps = 1000
places.cell = { size = [512, 512], boundary = "torus", init.alive = { random = 0.3 } }
phase = [{ exchangeAll = "cell" }, { callAll = "cell.tick" }]
output = [{ every = 100, png = "life-{step:06}.png", attribute = "cell.alive" }])toml");
