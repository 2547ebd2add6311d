#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
    int age = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, alive, age, flow);

TESSERA_CALL(Cell, go, writes<&Cell::heat>) {
    Cell c;
    c.heat = 2;
    self = c;
}

TESSERA_MODEL(self_assigned, "a broken model");
