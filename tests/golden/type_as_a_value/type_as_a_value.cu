#include <tessera/model.hpp>

struct Water { float warmth = 0; };
TESSERA_PLACE(Water, warmth);
struct Fish { float strength = 10; };
TESSERA_AGENT(Fish, on<Water>, strength);
struct Shark { float hunger = 0; };
TESSERA_AGENT(Shark, on<Water>, hunger);

TESSERA_CALL(Fish, breed, spawns<Fish>) {
    self.spawn(Fish);
}
TESSERA_CALL(Fish, look, counts<here, Shark>, writes<&Fish::strength>) {
    self.strength = float(self.count(here, Shark));
}

TESSERA_MODEL(type_as_a_value, "a broken model");
