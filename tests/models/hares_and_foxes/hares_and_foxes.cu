// Two types of agents that do what agents can: for tests, which have the same rules as plain loops.
#include <tessera/model.hpp>

namespace wild {

struct Land {
    std::uint16_t grass = 4;
    std::uint32_t visits = 0;
};
TESSERA_PLACE(Land, grass, visits);

struct Hare {
    std::int32_t energy = 12;
    float way[2] = {0, 1};
    std::uint16_t went = 0, stayed = 0;
};
TESSERA_AGENT(Hare, on<Land>, energy, way, went, stayed);

} // namespace wild

struct Fox {
    double hunger = 0;
    std::uint64_t met = 0;
    std::uint16_t ranks = 0;
};
TESSERA_AGENT(Fox, on<wild::Land>, hunger, met, ranks);

TESSERA_PARAM(int, patience, 40, "steps that a fox lives without a hare around");

namespace wild {

TESSERA_CALL(Land, grow, writes<&Land::grass>) {
    if (self.grass < 9 && self.random.below(3) == 0) self.grass += 1;
}

// To the place with the most grass where no fox is and a hare has room; of several one at random.
TESSERA_CALL(Hare, look, reads<&Hare::energy>, around<with_here<lines_of<3>>, &Land::grass>, counts<with_here<lines_of<3>>, Hare, Fox>,
             moves<lines_of<3>>) {
    auto best = self.place.here();
    int equal = 1;
    self.place.each(with_here<lines_of<3>>, self.energy / 4, [&](const auto& site) {
        if (site.distance == 0 || site.free() == 0 || site.count(agents<Fox>) > 0) return;
        if (site.grass < best.grass) return;
        equal = site.grass == best.grass ? equal + 1 : 1;
        if (equal == 1 || self.random.below(equal) == 0) best = site;
    });
    self.migrate(best);
}

TESSERA_CALL(Hare, note, reads<moved>, reads<refused>, writes<&Hare::went, &Hare::stayed>) {
    self.went += self.moved() ? 1 : 0;
    self.stayed += self.refused() ? 1 : 0;
}

// Those who share a place share its grass; of as many as there are foxes, the eldest are caught.
TESSERA_CALL(Hare, graze, reads<&Land::grass>, writes<&Hare::energy, &Hare::way>, counts<here, Hare, Fox>, dies) {
    self.energy += self.place.grass / self.count(here, agents<Hare>) - 3;
    self.way[0] = self.way[0] / 2 + static_cast<float>(self.position.x);
    self.way[1] = self.way[1] * 0.75f + static_cast<float>(self.position.y + self.position.z);
    if (self.energy <= 0 || self.rank() < self.count(here, agents<Fox>)) self.kill();
}

// Where one hare at most stands on a place.
TESSERA_CALL(Hare, trample, writes<&Land::visits, &Land::grass>) {
    self.place.visits += 1;
    self.place.grass /= 2;
}

} // namespace wild

// Blindly: its move requests are known while it runs, the last one counts, and none at all undoes them.
TESSERA_CALL(Fox, leap, writes<&Fox::hunger>, moves<offsets<offset<2, 1>, offset<-1, 3>, west, offset<0, -2>>>) {
    const auto way = self.random.below(6);
    self.migrate(-1, 0);
    if (way == 0) self.migrate(2, 1);
    if (way == 1) self.migrate(-1, 3);
    if (way == 2) self.migrate(offset<0, -2>);
    if (way == 3) self.migrate(0, 0);
    self.hunger += 1;
}

TESSERA_CALL(Fox, hunt, writes<&Fox::hunger, &Fox::met, &Fox::ranks>, counts<moore, wild::Hare>, counts<here, Fox>, dies) {
    const int hares = self.count(moore, agents<wild::Hare>);
    self.met += static_cast<std::uint64_t>(hares);
    self.ranks += static_cast<std::uint16_t>(self.rank());
    if (hares > 0) self.hunger = self.hunger / 2;
    if (self.hunger > patience && !self.dying()) self.kill();
}

TESSERA_MODEL(hares_and_foxes, "hares and foxes");
TESSERA_DEFAULTS(R"toml(run.steps = 100
schedule.exchange = "auto"
places.land = { size = [50, 40], boundary = "torus" }
agents.hare = { count = 700, capacity = 1, init = { energy = { random = "below", n = 12, plus = 6 } } }
agents.fox = { count = 90, capacity = 2, init = { hunger = { random = "uniform", low = 0, high = 20 } } }
phase = [
    { callAll = "land.grow" }, { callAll = "hare.look" }, { callAll = "fox.leap" }, { manageAll = ["hare", "fox"] },
    { callAll = "hare.note" }, { callAll = "hare.graze" }, { callAll = "fox.hunt" }, { manageAll = "*" },
])toml");
