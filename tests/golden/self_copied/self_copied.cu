#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, flow);

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) {
    auto me = self;
    me.heat = 1;
}

TESSERA_MODEL(self_copied, "a broken model");
