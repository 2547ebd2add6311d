#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    float* next = nullptr;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, next, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = 1;
}

TESSERA_MODEL(member_of_pointer_type, "a broken model");
