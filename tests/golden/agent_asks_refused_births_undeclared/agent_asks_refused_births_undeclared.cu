#include <tessera/model.hpp>

struct Field { float sugar = 0, capacity = 0; };
TESSERA_PLACE(Field, sugar, capacity);
struct Ant { float sugar = 0; std::uint8_t vision = 1, metabolism = 1; };
TESSERA_AGENT(Ant, on<Field>, sugar, vision, metabolism);
struct Wolf { float hunger = 0; };
TESSERA_AGENT(Wolf, on<Field>, hunger);

TESSERA_CALL(Ant, look, writes<&Ant::sugar>) {
    if (self.refused_births() > 0) self.sugar += 1;
}

TESSERA_MODEL(agent_asks_refused_births_undeclared, "a broken model");
