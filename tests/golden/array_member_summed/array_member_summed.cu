#include <tessera/model.hpp>

struct Cell {
    float heat = 0, parts[3] = {};
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, parts, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::parts>, writes<&Cell::heat>) {
    self.heat = self.sum(moore, &Cell::parts);
}

TESSERA_MODEL(array_member_summed, "a broken model");
