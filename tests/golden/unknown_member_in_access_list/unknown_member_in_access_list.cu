#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, writes<&Cell::haet>) {
    self.heat = 1;
}

TESSERA_MODEL(unknown_member_in_access_list, "a broken model");
