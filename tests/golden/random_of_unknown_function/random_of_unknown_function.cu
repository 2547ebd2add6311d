#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
    int age = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, alive, age, flow);

TESSERA_CALL(Cell, go, writes<&Cell::heat>) {
    self.heat = self.random.unifrom();
    self.heat = self.random.poisson(3);
    self.heat = self.random.uniform;
}

TESSERA_MODEL(random_of_unknown_function, "a broken model");
