// A little of everything: places whose steps can be made several at once, a value of the step, a parameter, and agents in slots, in a list
// and in space. For tests of what goes together with what.
#include <tessera/model.hpp>

struct Sand {
    std::uint8_t wet = 0;
};
TESSERA_PLACE(Sand, wet);

struct Air {
    float warmth = 20;
};
TESSERA_PLACE(Air, warmth);

struct Beetle {
    std::int32_t age = 0, lost = 0;
};
TESSERA_AGENT(Beetle, on<Air>, age, lost);

struct Ant {
    std::uint32_t load = 1;
};
TESSERA_AGENT(Ant, on<Sand>, load);

struct Gnat {
    std::int32_t met = 0;
};
TESSERA_AGENT(Gnat, in<Air>, met);

TESSERA_PARAM(float, chance, 0.3f, range(0, 1), "probability that a beetle has a young one in a step");
TESSERA_GLOBAL(float, warmest, "the highest warmth");

TESSERA_INIT(Sand, rain, sets<&Sand::wet>) { self.wet = self.random.bernoulli(0.4f); }

TESSERA_CALL(Sand, seep, around<moore, &Sand::wet>, writes<&Sand::wet>) {
    const auto n = self.sum(moore, &Sand::wet);
    self.wet = (n == 3) | ((n == 2) & self.wet);
}
TESSERA_CALL(Air, blow, around<von_neumann, &Air::warmth>, writes<&Air::warmth>, reads<warmest>) {
    self.warmth = 0.2f * (self.warmth + self.sum(von_neumann, &Air::warmth));
    if (self.get(warmest) < 30) self.warmth += self.random.uniform();
}
TESSERA_CALL(Beetle, crawl, writes<&Beetle::age, &Beetle::lost>, adds<&Air::warmth>, reads<refused_births>, moves<moore>,
             spawns<Beetle, von_neumann>, dies) {
    self.age += 1;
    self.lost += self.refused_births();
    self.place.warmth += 0.125f;
    if (self.random.bernoulli(chance)) self.spawn(Beetle{}, east);
    if (self.age > 6 && self.random.bernoulli(0.3f)) self.kill();
    const int dx = self.random.below(3) - 1;
    self.migrate(dx, self.random.below(3) - 1);
}
TESSERA_CALL(Ant, carry, writes<&Ant::load>, meets<moore, &Ant::load>, moves<von_neumann>) {
    self.meet(moore, agents<Ant>, [&](const auto& other) { self.load = self.load * 3 + other.load; });
    self.migrate(self.random.bernoulli(0.5f) ? 1 : -1, 0);
}
TESSERA_CALL(Gnat, dance, writes<&Gnat::met>, meets<within<1.0f>, agents<Gnat>>, moves<within<0.5f>>) {
    self.meet(within<1.0f>, agents<Gnat>, [&](const auto&) { self.met += 1; });
    const float dx = 0.5f * self.random.uniform() - 0.25f;
    self.move_to(self.position.x + dx, self.position.y + 0.5f * self.random.uniform() - 0.25f);
}

TESSERA_MODEL(oasis, "a little of everything");
TESSERA_DEFAULTS(R"toml(run.steps = 30
places.sand = { size = [96, 48], boundary = "torus" }
places.air = { size = [24, 30], extent = [24, 30], boundary = "torus" }
agents.beetle = { count = 300, capacity = 2 }
agents.ant = { count = 500, capacity = "unlimited" }
agents.gnat = { count = 150 }
phase = [
    { exchangeAll = "*" }, { callAll = "sand.seep" }, { reduce = { warmest = "max(air.warmth)" } }, { callAll = "air.blow" },
    { callAll = "beetle.crawl" }, { callAll = "ant.carry" }, { callAll = "gnat.dance" }, { manageAll = "*" },
])toml");
