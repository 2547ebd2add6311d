#include <tessera/model.hpp>

struct Water { float warmth = 0; };
TESSERA_PLACE(Water, warmth);
struct Fish { float strength = 10; };
TESSERA_AGENT(Fish, on<Water>, strength);
struct Shark { float hunger = 0; };
TESSERA_AGENT(Shark, on<Water>, hunger);

TESSERA_CALL(Shark, hunt, meets<here, &Fish::strength>) {
    self.meet(here, agents<Fish>, [&](const auto& fish) { fish.kill(); });
}
TESSERA_CALL(Shark, feed, meets<here, &Fish::strength>, dies) {
    self.meet(here, agents<Fish>, [&](const auto& fish) { self.kill(fish); });
}
TESSERA_CALL(Water, freeze, counts<here, Fish>) {
    if (self.count(here, agents<Fish>) > 3) self.kill();
}

TESSERA_MODEL(agent_kills_others, "a broken model");
