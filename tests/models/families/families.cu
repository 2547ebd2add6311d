// Agents that meet, and have children of their own and of another type, on places that have children too: for tests, which have the same
// rules as plain loops.
#include <tessera/model.hpp>

struct Land {
    std::int32_t grass = 3;
    std::int64_t trail = 0;
    bool den = false;
    std::int32_t visits = 0;
    float scent = 0;
    double low = 1000;
    bool marked = false;
    std::uint8_t tracks[2] = {0, 250};
};
TESSERA_PLACE(Land, grass, trail, den, visits, scent, low, marked, tracks);

struct Hare {
    std::int32_t energy = 5;
    float way[2] = {0, 1};
    std::uint64_t seen = 1;
};
TESSERA_AGENT(Hare, on<Land>, energy, way, seen);

struct Fox {
    std::int32_t hunger = 0;
    std::uint64_t met = 7;
};
TESSERA_AGENT(Fox, on<Land>, hunger, met);

// In some places a den, with three foxes where they fit.
TESSERA_INIT(Land, dig, sets<&Land::den>, spawns<Fox>) {
    self.den = self.random.below(40) == 0;
    for (int i = 0; self.den && i < 3; ++i) self.spawn(Fox{.hunger = i});
}
TESSERA_INIT(Hare, wake, reads<&Land::den>, writes<&Hare::energy, &Hare::seen>) {
    self.energy += self.random.below(5);
    self.seen = self.place.den ? 2 : 3;
}
TESSERA_INIT(Hare, tread, adds<&Land::visits>) { self.place.visits += 2; }
TESSERA_INIT(Fox, stir, writes<&Fox::hunger>) { self.hunger += 1; }

// Sees what others have before anybody's energy changes, one after the other.
TESSERA_CALL(Hare, act, writes<&Hare::energy, &Hare::seen>, sets<&Hare::way>, reads<&Land::grass>, meets<moore, &Hare::energy>,
             meets<with_here<von_neumann>, &Fox::hunger>, counts<here, Hare>, moves<moore>, spawns<Hare, with_here<moore>, 2>, dies) {
    std::int32_t most = 0;
    self.meet(moore, agents<Hare>, [&](const auto& other) {
        most = max(most, other.energy);
        self.seen = self.seen * 3 + other.id;
    });
    self.meet(with_here<von_neumann>, agents<Fox>,
              [&](const auto& other) { self.seen = self.seen * 5 + other.id + static_cast<std::uint64_t>(other.hunger); });
    self.energy += self.place.grass - self.count(here, agents<Hare>) - (most > self.energy ? 1 : 0);
    self.way[0] = static_cast<float>(most);
    if (self.energy < 0) self.kill();
    if (self.random.below(8) == 0) self.spawn(Hare{.energy = self.energy / 2});
    if (self.random.below(6) == 0) self.spawn(Hare{.energy = 2, .way = {2, 3}}, offset<1, -1>);
    const int dx = self.random.below(3) - 1;
    self.migrate(dx, self.random.below(3) - 1);
}
TESSERA_CALL(Hare, breed, reads<&Hare::energy>, spawns<Hare, offsets<east, offset<-2, 1>>>) {
    if (self.energy > 3 && self.random.below(12) == 0) self.spawn(Hare{.energy = 1}, east);
}

// Any number of them on a place; who asks for its visits gets those before the phase.
TESSERA_CALL(Hare, mark, reads<&Hare::energy, &Land::visits>, adds<&Land::visits, &Land::scent, &Land::tracks>, least<&Land::low>,
             most<&Land::marked>) {
    self.place.visits += 2;
    if (self.energy > 5) self.place.visits -= 3;
    if (self.place.visits % 2 == 0) self.place.scent += 0.1f * static_cast<float>(self.energy);
    self.place.scent += 0.3f;
    self.place.tracks[1] += 7;
    if (self.energy != 4) self.place.low.lower_to(1000.0 / self.energy);
    if (self.energy > 9) self.place.marked.raise_to(true);
}
// Sees what others have left around while it leaves more.
TESSERA_CALL(Fox, sniff, writes<&Fox::met>, around<von_neumann, &Land::scent>, adds<&Land::scent>) {
    float sum = 0;
    self.place.each(von_neumann, [&](const auto& site) { sum += site.scent; });
    if (sum > 3) self.met += 1;
    self.place.scent += sum / 16;
}

// A place of which hares have eaten; where many have been, foxes come.
TESSERA_CALL(Land, live, writes<&Land::grass, &Land::trail>, reads<&Land::den>, around<von_neumann, &Land::trail>,
             meets<here, &Hare::energy>, counts<here, Hare, Fox>, spawns<Fox>) {
    std::int32_t all = 0;
    self.meet(here, agents<Hare>, [&](const auto& other) { all = all * 2 + other.energy; });
    self.grass = all > 9 ? 1 : 3;
    self.trail = self.sum(von_neumann, &Land::trail) / 8 + self.count(here, agents<Hare>) * 100;
    if (self.den && self.count(here, agents<Fox>) == 0) self.spawn(Fox{.hunger = 2, .met = static_cast<std::uint64_t>(self.trail)});
}
TESSERA_CALL(Land, lure, reads<&Land::trail>, spawns<Fox>) {
    if (self.trail > 290 && self.random.below(9) == 0) self.spawn(Fox{.hunger = 1});
}

TESSERA_CALL(Fox, hunt, writes<&Fox::hunger, &Fox::met>, counts<here, Hare>, meets<moore, &Fox::hunger>, moves<von_neumann>,
             spawns<Fox, with_here<von_neumann>>, spawns<Hare>, dies) {
    self.meet(moore, agents<Fox>, [&](const auto& other) { self.met = self.met * 7 + static_cast<std::uint64_t>(other.hunger); });
    self.hunger += self.count(here, agents<Hare>) > 0 ? -2 : 1;
    if (self.hunger > 9) self.kill();
    if (self.hunger < -6) {
        self.hunger = 0;
        self.spawn(Fox{}, north);
    }
    if (self.random.below(50) == 0) self.spawn(Hare{});
    self.migrate(self.random.below(2) == 0 ? 1 : -1, 0);
}
// Hares that a fox stands on.
TESSERA_CALL(Hare, flee, counts<here, Hare, Fox>, dies) {
    if (self.rank() < self.count(here, agents<Fox>)) self.kill();
}

TESSERA_MODEL(families, "hares and foxes that have children");
TESSERA_DEFAULTS(R"toml(run.steps = 100
places.land = { size = [50, 40], boundary = "torus" }
agents.hare = { count = 700, capacity = 3 }
agents.fox = { capacity = 2 }
phase = [
    { callAll = "hare.act" }, { manageAll = "hare" }, { callAll = "hare.mark" }, { exchangeAll = "land" }, { callAll = "fox.sniff" }, { callAll = "land.live" }, { callAll = "fox.hunt" },
    { callAll = "land.lure" }, { callAll = "hare.breed" }, { callAll = "hare.breed", every = 3, from = 1 }, { manageAll = "*" },
    { callAll = "hare.flee" }, { manageAll = "hare" },
])toml");
