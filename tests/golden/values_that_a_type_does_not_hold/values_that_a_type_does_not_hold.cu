#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_VALUES(Cell::alive, dead = 254, ill, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = 1;
}

TESSERA_MODEL(values_that_a_type_does_not_hold, "a broken model");
