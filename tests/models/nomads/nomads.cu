// Agents that go anywhere, many of them to the same places, and some a step at a time: for tests, which have the same rules as plain loops.
#include <tessera/model.hpp>

struct Land {
    std::int32_t visitors = 0;
};
TESSERA_PLACE(Land, visitors);

struct Nomad {
    std::int32_t luck = 0;
    std::uint32_t trips = 0;
    float bag[2] = {1, 2};
};
TESSERA_AGENT(Nomad, on<Land>, luck, trips, bag);

TESSERA_CALL(Nomad, roam, reads<moved>, writes<&Nomad::luck, &Nomad::trips, &Nomad::bag>, moves<anywhere>, spawns<Nomad, with_here<moore>>,
             dies) {
    self.trips += self.moved() ? 1 : 0;
    self.luck = self.random.below(100);
    const auto x = self.random.below((self.size.x + 2) / 3);
    const auto y = self.random.below(3);
    if (self.luck < 60) self.migrate_to(x, y);
    if (self.luck >= 50 && self.luck < 70) self.migrate(y - 1, 1);
    if (self.luck >= 70 && self.luck < 75) self.migrate_to(-1 - x, y);
    if (self.luck == 75) self.migrate_to(self.position.x, self.position.y, self.position.z);
    if (self.luck >= 85 && self.luck < 90) self.bag[1] += 1, self.spawn(Nomad{.luck = self.luck}, east);
    if (self.luck >= 90 && self.luck < 94) self.spawn(Nomad{});
    if (self.luck > 94) self.kill();
}
TESSERA_CALL(Nomad, step_aside, reads<refused>, moves<moore>) {
    if (self.refused()) self.migrate(0, self.random.below(3) - 1);
}
TESSERA_CALL(Land, receive, counts<here, Nomad>, writes<&Land::visitors>) { self.visitors += self.count(here, agents<Nomad>); }

TESSERA_MODEL(nomads, "agents that go anywhere");
TESSERA_DEFAULTS(R"toml(run.steps = 50
places.land = { size = [40, 30], boundary = "torus" }
agents.nomad = { count = 300, capacity = 2, on_edge = "refuse" }
phase = [{ callAll = "nomad.roam" }, { manageAll = "nomad" },
         { repeat = { phases = [{ callAll = "nomad.step_aside" }, { manageAll = "nomad" }], times = 3 } }, { callAll = "land.receive" }]
)toml");
