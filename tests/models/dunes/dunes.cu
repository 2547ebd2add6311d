// Places that change by a rule of their own, and agents that live on them and never look at them: in slots, in a list, and in space. For
// tests of several steps of places at once beside agents.
#include <tessera/model.hpp>

struct Sand {
    std::uint8_t wet = 0;
};
TESSERA_PLACE(Sand, wet);

struct Air {};
TESSERA_PLACE(Air);

struct Beetle {
    std::int32_t age = 0;
};
TESSERA_AGENT(Beetle, on<Sand>, age);

struct Ant {
    std::int32_t load = 1;
};
TESSERA_AGENT(Ant, on<Sand>, load);

struct Gnat {
    std::int32_t met = 0;
};
TESSERA_AGENT(Gnat, in<Air>, met);

TESSERA_INIT(Sand, rain, sets<&Sand::wet>) { self.wet = self.random.bernoulli(0.4f); }

TESSERA_CALL(Sand, seep, around<moore, &Sand::wet>, writes<&Sand::wet>) {
    const auto n = self.sum(moore, &Sand::wet);
    self.wet = (n == 3) | ((n == 2) & self.wet);
}

TESSERA_CALL(Beetle, crawl, writes<&Beetle::age>, moves<moore>, spawns<Beetle, von_neumann>, dies) {
    self.age += 1;
    if (self.random.bernoulli(0.1f)) self.spawn(Beetle{}, east);
    if (self.age > 12 && self.random.bernoulli(0.2f)) self.kill();
    const int dx = static_cast<int>(self.random.below(3)) - 1;
    self.migrate(dx, static_cast<int>(self.random.below(3)) - 1);
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

TESSERA_MODEL(dunes, "sand that seeps, and agents that do not see it");
TESSERA_DEFAULTS(R"toml(run.steps = 100
places.sand = { size = [131, 67], boundary = "torus" }
places.air = { size = [9, 7], extent = [18, 14], boundary = "torus" }
agents.beetle = { count = 600, capacity = 3 }
agents.ant = { count = 500, capacity = "unlimited" }
agents.gnat = { count = 200 }
phase = [
    { exchangeAll = "sand" }, { callAll = "sand.seep" }, { callAll = "beetle.crawl" }, { callAll = "ant.carry" }, { callAll = "gnat.dance" }, { manageAll = "*" },
])toml");
