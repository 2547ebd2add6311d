#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, flow);

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) {
    const auto warm = [=](float by) mutable { self.heat += by; };
    auto warmer = warm;
    warmer(1);
}

TESSERA_MODEL(self_captured, "a broken model");
