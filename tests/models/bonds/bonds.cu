// Links that begin and end, and what a reduce makes of them within the step, for tests.
#include <tessera/model.hpp>

struct Atom {
    std::int64_t there = 0, recent = 0, charges = 0, latest = 0;
    double strength = 0;
    std::int32_t rounds = 0;
};
TESSERA_PLACE(Atom, there, recent, charges, latest, strength, rounds);
struct Bond {
    std::int32_t since = -1;
    float strength = 0.25f;
    std::int8_t charges[2] = {1, -2};
};
TESSERA_LINK(Bond, between<Atom>, since, strength, charges);

TESSERA_GLOBAL(std::int64_t, there);
TESSERA_GLOBAL(std::int64_t, recent);
TESSERA_GLOBAL(std::int64_t, charges);
TESSERA_GLOBAL(std::int64_t, latest);
TESSERA_GLOBAL(double, strength);
TESSERA_PARAM(float, breaks, 0.3f, range(0, 1), "how likely a bond ends in a step");

TESSERA_CALL(Bond, break_up, dies) {
    if (self.random.bernoulli(breaks)) self.kill();
}
TESSERA_CALL(Atom, bind, spawns<Bond, anywhere, 2>) {
    const int wanted = self.random.below(3);
    for (int i = 0; i < wanted; ++i) {
        const float strength = self.random.uniform();
        self.spawn(Bond{.since = static_cast<std::int32_t>(self.step), .strength = strength, .charges = {3, static_cast<std::int8_t>(i)}},
                   self.random.below(static_cast<std::int32_t>(self.size)));
    }
}
TESSERA_CALL(Atom, note, reads<there, recent, charges, latest, strength>,
             sets<&Atom::there, &Atom::recent, &Atom::charges, &Atom::latest, &Atom::strength>) {
    self.there = self.get(there);
    self.recent = self.get(recent);
    self.charges = self.get(charges);
    self.latest = self.get(latest);
    self.strength = self.get(strength);
}
TESSERA_CALL(Atom, count_round, writes<&Atom::rounds>) { self.rounds += 1; }

TESSERA_MODEL(bonds, "links that are counted while they change");
TESSERA_DEFAULTS(R"toml(run.steps = 5
places.atom.count = 50
links.bond.generate = { rule = "random", links = 60 }
phase = [{ callAll = "bond.break_up" }, { callAll = "atom.bind" }, { manageAll = "bond" },
         { reduce = { there = "count(bond)", recent = "count(bond where bond.since > 3)", charges = "sum(bond.charges[1])" } },
         { reduce = { latest = "max(bond.since)", strength = "mean(bond.strength)" } }, { callAll = "atom.note" }])toml");
