#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<offsets<offset<300, 0>>, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = self.at(offset<300, 0>).alive;
}

TESSERA_MODEL(offset_too_far, "a broken model");
