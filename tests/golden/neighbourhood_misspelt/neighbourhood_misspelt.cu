#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
    int age = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, alive, age, flow);
TESSERA_PARAM(float, rate, 0.1f, range(0, 1), "of a step");

TESSERA_CALL(Cell, go, around<more, &Cell::heat>, writes<&Cell::heat>) {
    self.each(more, [&](const auto& other) { self.heat += rate * other.heat; });
}

TESSERA_MODEL(neighbourhood_misspelt, "a broken model");
