#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    static_assert(sizeof(self.heat) == 8, "heat must be a double");
    self.heat = 1;
}

TESSERA_MODEL(own_assertion, "a broken model");
