#include <tessera/model.hpp>

struct Plot { std::uint8_t grass = 1; };
TESSERA_PLACE(Plot, grass);
struct Hare { std::uint8_t age = 0; };
TESSERA_AGENT(Hare, on<Plot>, age);
struct Fox { float hunger = 0; };
TESSERA_AGENT(Fox, on<Plot>, hunger);

TESSERA_CALL(Plot, grow, writes<&Plot::grass>) { self.grass += 1; }
TESSERA_CALL(Hare, graze, writes<&Plot::grass, &Hare::age>) { self.place.grass = 0, self.age += 1; }
TESSERA_CALL(Hare, hop, reads<&Hare::age>, counts<moore, Hare>, moves<moore>) { self.migrate(self.age == 3 ? 2 : 1, 0); }
TESSERA_CALL(Hare, look, around<moore, &Plot::grass>, counts<moore, Fox>, dies) {
    if (self.count(moore, agents<Fox>) > 0) self.kill();
}
TESSERA_CALL(Hare, breed, reads<&Hare::age>, spawns<Hare, east, 2>, dies) {
    for (int i = 0; i <= self.age; ++i) self.spawn(Hare{.age = 3}, east);
    if (self.age > 0) self.kill();
}
TESSERA_CALL(Hare, gather, writes<&Hare::age>, meets<moore, &Hare::age>) {
    self.meet(moore, agents<Hare>, [&](const auto& other) { self.age = max(self.age, other.age); });
}
TESSERA_CALL(Hare, nest, around<moore, &Plot::grass>, spawns<Hare, moore>) {
    auto best = self.place.here();
    self.place.each(moore, [&](const auto& site) {
        if (site.grass > best.grass) best = site;
    });
    self.spawn(Hare{}, best);
}
TESSERA_CALL(Hare, lure, spawns<Fox>) { self.spawn(Fox{}); }
TESSERA_CALL(Plot, swarm, reads<&Plot::grass>, spawns<Hare>) {
    for (int i = 0; i < self.grass; ++i) self.spawn(Hare{});
}
TESSERA_INIT(Fox, wait, sets<&Fox::hunger>, dies) { self.kill(), self.hunger = 1; }

TESSERA_MODEL(meadow, "hares on plots");
