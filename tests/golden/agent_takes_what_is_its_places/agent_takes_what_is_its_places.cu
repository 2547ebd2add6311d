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

TESSERA_CALL(Ant, go, writes<&Ant::n>, reads<&Cell::heat, &Cell::flow>) {
    self.n = self.heat;
    if (self.flow[2] > 0) self.n = 1;
}

TESSERA_CALL(Ant, look, writes<&Ant::n>) {
    if (self.alive != 0) self.n = 2;
}

TESSERA_MODEL(agent_takes_what_is_its_places, "a broken model");
