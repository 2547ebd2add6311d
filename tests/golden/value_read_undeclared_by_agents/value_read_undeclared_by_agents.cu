#include <tessera/model.hpp>

struct Cell { float heat = 0; };
TESSERA_PLACE(Cell, heat);
struct Ant { float sugar = 0; };
TESSERA_AGENT(Ant, on<Cell>, sugar);
TESSERA_GLOBAL(double, total, "sugar of all ants");
TESSERA_GLOBAL(std::int32_t, alive);

TESSERA_CALL(Ant, eat, writes<&Ant::sugar>) {
    const auto share = self.get(total) / 100;
    self.sugar += static_cast<float>(share);
}

TESSERA_MODEL(value_read_undeclared_by_agents, "a broken model");
