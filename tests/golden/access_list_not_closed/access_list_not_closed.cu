#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive, writes<&Cell::heat>) { self.heat = 3; }
TESSERA_CALL(Cell, warm, writes<&Cell::heat) { self.heat = 3; }
TESSERA_CALL(Cell, cool, around<moore, &Cell::alive> writes<&Cell::heat>) { self.heat = 3; }

TESSERA_MODEL(access_list_not_closed, "a broken model");
