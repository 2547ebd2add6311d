#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = self.neighbours(moore);
    if (self.bernouli(0.5f)) self.heat = 1;
    self.heat = float(self.width);
}

TESSERA_MODEL(unknown_function_of_self, "a broken model");
