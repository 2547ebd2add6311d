#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
    int age = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, alive, age, flow);

TESSERA_CALL(Cell, go, writes<&Cell::alive, &Cell::age>) {
    self.alive = 300;
    self.age = 5000000000;
}

TESSERA_MODEL(value_beyond_the_member, "a broken model");
