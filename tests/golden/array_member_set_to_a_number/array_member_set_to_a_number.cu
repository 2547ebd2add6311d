#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
    int age = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, alive, age, flow);

TESSERA_CALL(Cell, go, writes<&Cell::heat, &Cell::flow>) {
    self.flow = 1;
    self.heat = self.flow;
    if (self.flow > 2) self.heat = 3;
}

TESSERA_MODEL(array_member_set_to_a_number, "a broken model");
