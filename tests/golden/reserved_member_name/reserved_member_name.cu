#include <tessera/model.hpp>

struct Cell {
    int step = 0;
};
TESSERA_PLACE(Cell, step);

TESSERA_CALL(Cell, tick, writes<&Cell::step>) { self.step += 1; }

TESSERA_MODEL(reserved_member_name, "a broken model");
