// Walkers that go about at random, have children and die: about the least that a model of agents can be.
#include <tessera/model.hpp>

struct Land {
    std::uint32_t visits = 0;
};
TESSERA_PLACE(Land, visits);

struct Walker {
    std::uint32_t steps = 0;
};
TESSERA_AGENT(Walker, on<Land>, steps);

TESSERA_PARAM(float, birth, 0.02f, range(0, 1), "probability of a child a walker and step");
TESSERA_PARAM(float, death, 0.02f, range(0, 1), "probability of a walker's death in a step");

TESSERA_CALL(Walker, walk, writes<&Walker::steps>, adds<&Land::visits>, moves<moore>, spawns<Walker>, dies) {
    self.place.visits += 1;
    self.steps += 1;
    const int k = self.random.below(8), i = k + (k > 3); // 4 is where it stands
    self.migrate(i % 3 - 1, i / 3 - 1);
    if (self.random.bernoulli(birth)) self.spawn(Walker{});
    if (self.random.bernoulli(death)) self.kill();
}

TESSERA_MODEL(random_walk, "walkers that go about at random, have children and die");
TESSERA_DEFAULTS(R"toml(run.steps = 200
places.land = { size = [256, 256], boundary = "torus" }
agents.walker = { count = 16384, capacity = 8 }
phase = [{ callAll = "walker.walk" }, { manageAll = "walker" }]
)toml");
