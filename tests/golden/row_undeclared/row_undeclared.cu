#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
};

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) { self.heat = 3; }

TESSERA_MODEL(row_undeclared, "a broken model");
