// Wolves eat sheep eat grass, by the rules of the model of that name in Agents.jl, where animals go one after the other. Here all decide by
// the same state, and ranks say who eats and who is eaten: on each place those of the lowest ids, which are the oldest.
#include <tessera/model.hpp>

struct Grass {
    std::uint8_t countdown = 0;
};
TESSERA_PLACE(Grass, countdown);
TESSERA_DOC(Grass::countdown, "steps for which it is still bare; 0 where grass has grown");
struct Sheep {
    float energy = 0;
};
TESSERA_AGENT(Sheep, on<Grass>, energy);
struct Wolf {
    float energy = 0;
};
TESSERA_AGENT(Wolf, on<Grass>, energy);

TESSERA_PARAM(int, regrow, 10, range(1, 254), "steps for which a place is bare after a sheep has eaten there");
TESSERA_PARAM(int, grass_energy, 5, range(1, 1000), "energy of the grass of a place; a sheep starts with 1 to twice of that");
TESSERA_PARAM(int, sheep_energy, 13, range(1, 1000), "energy of a sheep for who eats it; a wolf starts with 1 to twice of that");
TESSERA_PARAM(float, sheep_births, 0.4f, range(0, 1), "probability that a sheep has a lamb in a step, which gets half of its energy");
TESSERA_PARAM(float, wolf_births, 0.2f, range(0, 1), "the same of wolves");

TESSERA_INIT(Grass, sow, sets<&Grass::countdown>) {
    if (self.random.bernoulli(0.5f)) self.countdown = static_cast<std::uint8_t>(1 + self.random.below(regrow));
}
TESSERA_INIT(Sheep, feed, sets<&Sheep::energy>) { self.energy = static_cast<float>(1 + self.random.below(2 * grass_energy)); }
TESSERA_INIT(Wolf, feed, sets<&Wolf::energy>) { self.energy = static_cast<float>(1 + self.random.below(2 * sheep_energy)); }

template<class Self> void wander(Self& self) {
    const int k = self.random.below(8), i = k + (k > 3); // of the nine 4 is where it stands
    self.migrate(i % 3 - 1, i / 3 - 1);
    self.energy -= 1;
}
TESSERA_CALL(Sheep, walk, writes<&Sheep::energy>, moves<moore>) { wander(self); }
TESSERA_CALL(Wolf, walk, writes<&Wolf::energy>, moves<moore>) { wander(self); }

TESSERA_CALL(Sheep, graze, writes<&Sheep::energy>, reads<&Grass::countdown>, most<&Grass::countdown>, counts<here, Sheep>, spawns<Sheep>,
             dies) {
    if (self.place.countdown == 0 && self.rank() == 0) {
        self.energy += grass_energy;
        self.place.countdown.raise_to(static_cast<std::uint8_t>(regrow + 1)); // of which this step is one
    }
    if (self.energy < 1) return self.kill();
    if (self.random.bernoulli(sheep_births)) self.energy /= 2, self.spawn(Sheep{.energy = self.energy});
}
TESSERA_CALL(Sheep, flee, counts<here, Sheep, Wolf>, dies) {
    if (self.rank() < self.count(here, agents<Wolf>)) self.kill();
}
TESSERA_CALL(Wolf, hunt, writes<&Wolf::energy>, counts<here, Wolf, Sheep>, spawns<Wolf>, dies) {
    if (self.rank() < self.count(here, agents<Sheep>)) self.energy += sheep_energy;
    if (self.energy < 0) return self.kill();
    if (self.random.bernoulli(wolf_births)) self.energy /= 2, self.spawn(Wolf{.energy = self.energy});
}
TESSERA_CALL(Grass, grow, writes<&Grass::countdown>) { self.countdown -= self.countdown > 0; }

TESSERA_MODEL(wolf_sheep, "wolves eat sheep eat grass");
TESSERA_DEFAULTS(R"toml(run.steps = 500
places.grass = { size = [100, 100], boundary = "torus" }
agents.sheep = { count = 1000, capacity = 8 }
agents.wolf = { count = 500, capacity = 8 }
phase = [{ callAll = "sheep.walk" }, { callAll = "wolf.walk" }, { manageAll = "*" }, { callAll = "sheep.graze" }, { manageAll = "sheep" },
         { callAll = "sheep.flee" }, { callAll = "wolf.hunt" }, { manageAll = "*" }, { callAll = "grass.grow" }]
)toml");
