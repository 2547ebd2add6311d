// Rule 110 on a line of cells: the next value is the bit of 110 that left, own and right value number.
#include <tessera/model.hpp>

struct Cell {
    std::uint8_t on = 0;
};
TESSERA_PLACE(Cell, on);

TESSERA_CALL(Cell, tick, around<offsets<west, east>, &Cell::on>, writes<&Cell::on>) {
    self.on = (110 >> (4 * self.at(west).on + 2 * self.on + self.at(east).on)) & 1;
}

TESSERA_MODEL(rule110, "elementary cellular automaton, rule 110");
TESSERA_DEFAULTS(R"toml(run.steps = 100
places.cell = { size = [200], boundary = "torus", init.on = [{ value = 1, box = [[199], [200]] }] }
phase = [{ exchangeAll = "cell" }, { callAll = "cell.tick" }])toml");
