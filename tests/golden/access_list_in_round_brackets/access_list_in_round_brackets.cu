#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
    int age = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, alive, age, flow);

TESSERA_CALL(Cell, go, writes(&Cell::alive)) {
    self.alive = 1;
}

TESSERA_MODEL(access_list_in_round_brackets, "a broken model");
