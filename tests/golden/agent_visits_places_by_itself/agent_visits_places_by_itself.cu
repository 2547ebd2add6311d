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

TESSERA_CALL(Ant, go, around<moore, &Cell::heat>, moves<moore>) {
    auto best = self.place.here();
    self.each(moore, [&](const auto& site) {
        if (site.heat > best.heat) best = site;
    });
    if (self.at(west).heat > 2) self.migrate(west);
    if (self.exists(east)) self.migrate(best);
    if (self.free() > 0) self.migrate(north);
}

TESSERA_MODEL(agent_visits_places_by_itself, "a broken model");
