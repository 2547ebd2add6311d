#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) {
    self.heat += self.alive;
}

TESSERA_MODEL(undeclared_member_read, "a broken model");
