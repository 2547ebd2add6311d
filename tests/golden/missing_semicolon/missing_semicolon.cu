#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = 1
    self.heat += 2;
}

TESSERA_MODEL(missing_semicolon, "a broken model");
