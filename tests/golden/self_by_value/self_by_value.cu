#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, flow);

template<class Self> void warm(Self self) { self.heat += 1; }

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) { warm(self); }

TESSERA_MODEL(self_by_value, "a broken model");
