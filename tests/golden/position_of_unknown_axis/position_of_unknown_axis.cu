#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
    int age = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, alive, age, flow);
struct Ant {
    float energy = 0;
    int n = 0;
};
TESSERA_AGENT(Ant, on<Cell>, energy, n);

TESSERA_CALL(Cell, go, writes<&Cell::heat>) {
    self.heat = static_cast<float>(self.position.X);
    self.heat = static_cast<float>(self.size.width);
}

TESSERA_CALL(Ant, look, writes<&Ant::n>) {
    self.n = static_cast<int>(self.position.X);
}

TESSERA_MODEL(position_of_unknown_axis, "a broken model");
