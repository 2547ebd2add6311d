#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
    int age = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, alive, age, flow);

TESSERA_CALL(Cell, go, writes<&Cell::heat, &Cell::age>) {
    self.heat = self.random.uniform(0, 5);
    self.age = self.random.below();
    if (self.random.bernoulli()) self.heat = self.random.normal(3, 1);
}

TESSERA_MODEL(random_between_bounds, "a broken model");
