// Particles in space, of two types that meet, have children and die, in one, two or three dimensions; and others with positions in double:
// for tests, which have the same rules as plain loops.
#include <tessera/model.hpp>

struct Box {
    std::uint8_t leaks = 0;
    std::int32_t there = 0;
};
TESSERA_PLACE(Box, leaks, there);

struct Dust {
    std::int32_t near = 0;
    float push = 0;
    std::uint64_t seen = 1;
};
TESSERA_AGENT(Dust, in<Box>, near, push, seen);

struct Seed {
    float weight = 1;
    std::int32_t age = 0;
};
TESSERA_AGENT(Seed, in<Box>, weight, age);

struct Grain {
    double pull = 0;
};
TESSERA_AGENT(Grain, in_double<Box>, pull);

TESSERA_PARAM(float, reach, 2.5f, range(0.1, 100), "how far they see");
TESSERA_PARAM(float, birth, 0.02f);

TESSERA_CALL(Dust, look, meets<within<reach>, agents<Dust>, &Seed::weight>, meets<within<reach / 2>, &Dust::push>,
             writes<&Dust::near, &Dust::push, &Dust::seen>) {
    self.near = 0, self.seen = self.id;
    float push = 0;
    self.meet(within<reach>, agents<Dust>, [&](const auto& other) { self.near += 1, self.seen = self.seen * 3 + other.id; });
    self.meet(within<reach / 2>, agents<Dust>, [&](const auto& other) { push += other.push * 0.25f + other.away.x; });
    self.meet(within<reach>, agents<Seed>, [&](const auto& other) {
        const auto [dx, dy, dz] = other.away;
        push += other.weight * (dx + 2 * dy + 3 * dz);
    });
    self.push = push;
}

// To where it is drawn, or back to where it is.
TESSERA_CALL(Dust, drift, reads<&Dust::push, &Dust::near>, moves<within<0.75>>, spawns<Dust, within<0.5>, 2>, spawns<Seed>, dies) {
    const float dx = self.random.uniform() * 1.5f - 0.75f, dy = self.random.uniform() * 1.5f - 0.75f, dz = self.random.uniform() - 0.5f;
    auto next = self.position;
    next.x += dx, next.y += dy, next.z += dz;
    self.move_to(next);
    const float chance = self.random.uniform();
    if (chance < birth)
        self.spawn(Dust{.push = self.push}, decltype(next){self.position.x + 0.5f, self.position.y - 0.25f, self.position.z});
    if (chance < birth / 2) self.spawn(Dust{.near = 5}, decltype(next){self.position.x, self.position.y, self.position.z + 0.5f});
    if (chance > 1 - birth) self.spawn(Seed{.weight = 0.5f});
    if (self.near > 12) self.kill();
    if (chance > 0.9f) self.move_to(self.position);
}
TESSERA_CALL(Seed, fall, writes<&Seed::age>, moves<within<2>>, dies, meets<here, &Dust::near>) {
    self.age += 1;
    int most = 0;
    self.meet(here, agents<Dust>, [&](const auto& other) { most = max(most, other.near); });
    if (self.age % 2 == 0) self.move_to(self.position.x + 2, self.position.y, self.position.z);
    if (self.age > 20 + most) self.kill();
}
TESSERA_CALL(Grain, settle, meets<within<reach>, agents<Grain>>, sets<&Grain::pull>, moves<within<1>>) {
    double pull = 0;
    self.meet(within<reach>, agents<Grain>, [&](const auto& other) { pull += other.away.x - other.away.y; });
    self.pull = pull;
    const double step = pull > 0 ? 0.1 : -0.3;
    self.move_to(self.position.x + step, self.position.y - step / 3, self.position.z + step / 7);
}
TESSERA_CALL(Box, leak, counts<here, Dust, Seed>, spawns<Seed>, reads<&Box::leaks>, writes<&Box::there>) {
    self.there = self.count(here, agents<Dust>) + 100 * self.count(here, agents<Seed>);
    if (self.leaks > 0 && (self.step + self.position.x) % 16 == 0) self.spawn(Seed{.weight = 2, .age = self.there});
}

TESSERA_MODEL(particles, "particles in space");
TESSERA_DEFAULTS(R"toml(run.steps = 50
places.box = { size = [12, 12], extent = [31, 32], boundary = "torus", init.leaks = { random = 0.1 } }
agents.dust = { count = 500, on_edge = "refuse" }
agents.seed = { count = 100, on_edge = "refuse" }
agents.grain = { count = 200, on_edge = "refuse" }
phase = [{ callAll = "dust.look" }, { callAll = "dust.drift" }, { callAll = "seed.fall" }, { callAll = "box.leak" },
         { callAll = "grain.settle" }, { manageAll = "*" }]
)toml");
