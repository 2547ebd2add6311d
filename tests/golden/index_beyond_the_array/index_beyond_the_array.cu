#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, flow);

TESSERA_CALL(Cell, tick, writes<&Cell::flow>) { self.flow[4] = 1; }

TESSERA_MODEL(index_beyond_the_array, "a broken model");
