// Life of the second order: what was before last decides with. Three columns of bool, two of which change names each step and one of which
// nobody writes.
#include <tessera/model.hpp>

struct Cell {
    bool now = false, before = false, wall = false;
};
TESSERA_PLACE(Cell, now, before, wall);

TESSERA_CALL(Cell, flip, around<moore, &Cell::now>, reads<&Cell::wall>, writes<&Cell::before>) {
    const auto n = self.sum(moore, &Cell::now);
    self.before = (((n == 3) | ((n == 2) & self.now)) ^ self.before) & !self.wall;
}

TESSERA_MODEL(reversible, "Life of the second order, with walls");
TESSERA_DEFAULTS(R"toml(run.steps = 10
places.cell = { size = [64, 48], boundary = "torus", init = { now = { random = 0.4 }, before = { random = 0.3 }, wall = { random = 0.1 } } }
phase = [{ exchangeAll = "cell" }, { callAll = "cell.flip" }, { rotate = ["cell.now", "cell.before"] }])toml");
