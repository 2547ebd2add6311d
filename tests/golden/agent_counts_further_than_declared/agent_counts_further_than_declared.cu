#include <tessera/model.hpp>

struct Field { float sugar = 0, capacity = 0; };
TESSERA_PLACE(Field, sugar, capacity);
struct Ant { float sugar = 0; std::uint8_t vision = 1, metabolism = 1; };
TESSERA_AGENT(Ant, on<Field>, sugar, vision, metabolism);
struct Wolf { float hunger = 0; };
TESSERA_AGENT(Wolf, on<Field>, hunger);

TESSERA_CALL(Ant, look, counts<here, Ant, Wolf>, dies) {
    if (self.rank() < self.count(moore, agents<Wolf>)) self.kill();
}

TESSERA_MODEL(agent_counts_further_than_declared, "a broken model");
