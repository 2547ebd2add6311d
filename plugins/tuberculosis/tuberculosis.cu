// A granuloma, after J. L. Segovia-Juarez, S. Ganguli and D. Kirschner (Journal of Theoretical Biology 231, 2004): macrophages take up
// bacteria and call for help with a chemokine, T cells come through vessels and activate or kill infected macrophages. A step is 10
// minutes, a place 20 micrometres; chemokine and bacteria change 100 times a step. All cells decide by the same state.
#include <tessera/model.hpp>

struct Tissue {
    float chemokine = 0, bacteria = 0;
    std::uint8_t deaths = 0;
    bool vessel = false;
};
TESSERA_PLACE(Tissue, chemokine, bacteria, deaths, vessel);
TESSERA_DOC(Tissue::bacteria, "outside of cells");
TESSERA_DOC(Tissue::deaths, "macrophages that burst there; after eight the place is necrotic, and nobody enters it");
struct Macrophage {
    std::uint8_t state = 0;
    float inside = 0, spill = 0;
    std::int32_t age = 0;
};
TESSERA_AGENT(Macrophage, on<Tissue>, state, inside, spill, age);
TESSERA_VALUES(Macrophage::state, resting, infected, chronic, activated);
TESSERA_DOC(Macrophage::inside, "bacteria inside of it");
TESSERA_DOC(Macrophage::spill, "bacteria that each of the nine places around it gets when it dies");
TESSERA_DOC(Macrophage::age, "in steps; since it was activated");
struct TCell {
    std::int32_t age = 0;
};
TESSERA_AGENT(TCell, on<Tissue>, age);

TESSERA_PARAM(float, kill_chance, 0.0851f, range(0, 1),
              "probability that a resting macrophage kills two bacteria instead of taking them up");
TESSERA_PARAM(float, activation, 0.06f, range(0, 0.2), "probability a T cell nearby that an infected macrophage is activated in a step");
TESSERA_PARAM(float, lysis, 0.0631f, range(0, 1), "probability that a T cell on its place kills a chronic macrophage in a step");
TESSERA_PARAM(float, t_enters, 0.0497f, range(0, 1), "probability that a T cell goes where a macrophage is");
TESSERA_PARAM(float, macrophage_comes, 0.0211f, range(0, 1), "probability that a vessel with chemokine brings a macrophage in a step");
TESSERA_PARAM(float, t_comes, 0.32f, range(0, 1), "the same of a T cell, from step t_first on");
TESSERA_PARAM(int, t_first, 1440, range(0, 1000000), "the step from which there are T cells");

inline constexpr std::uint8_t resting = 0, infected = 1, chronic = 2, activated = 3, necrotic = 8; // the last of Tissue::deaths

// Bacteria on the four places in the middle with a macrophage beside them, and four vessels halfway to the corners.
TESSERA_INIT(Tissue, lay_out, sets<&Tissue::bacteria, &Tissue::vessel>, spawns<Macrophage>) {
    const auto x = self.position.x, y = self.position.y, middle_x = self.size.x / 2, middle_y = self.size.y / 2;
    if ((x == middle_x - 1 || x == middle_x) && (y == middle_y - 1 || y == middle_y)) self.bacteria = 4;
    self.vessel = (x == self.size.x / 4 || x == self.size.x * 3 / 4) && (y == self.size.y / 4 || y == self.size.y * 3 / 4);
    if (x == middle_x - 1 && y == middle_y - 1) self.spawn(Macrophage{});
}

// Places at the edge lose chemokine and get none.
TESSERA_CALL(Tissue, spread, around<von_neumann, &Tissue::chemokine>, writes<&Tissue::chemokine, &Tissue::bacteria>) {
    const auto x = self.position.x, y = self.position.y;
    const bool at_edge = x == 0 || y == 0 || x == self.size.x - 1 || y == self.size.y - 1;
    const float left = self.chemokine * 0.999f;
    self.chemokine = at_edge ? left : left + 0.16f * (0.999f * self.sum(von_neumann, &Tissue::chemokine) - 4 * left);
    self.bacteria += 1.5e-5f * self.bacteria * (1 - self.bacteria / 200);
}

// To one of the places around, drawn by their chemokine, or where there is hardly any with equal chances.
template<class Self, class May> void follow(Self& self, const May& may) {
    float sum = 0, sites = 0;
    self.place.each(moore, [&](const auto& site) { sum += site.chemokine, sites += 1; });
    const float mean = sum / sites;
    float total = 0;
    auto chosen = self.place.here();
    self.place.each(moore, [&](const auto& site) {
        if (site.free() == 0 || site.deaths >= necrotic || !may(site)) return;
        const float weight = mean >= 1 ? 1 / (1 + exp(-15 * (site.chemokine - mean) / mean)) : 1;
        total += weight;
        if (self.random.uniform() * total < weight) chosen = site;
    });
    self.migrate(chosen);
}
TESSERA_CALL(Macrophage, walk, reads<&Macrophage::state>, around<moore, &Tissue::chemokine, &Tissue::deaths>, counts<moore, Macrophage>,
             moves<moore>) {
    const int every = self.state == infected || self.state == chronic ? 100 : 10;
    if (self.step % every == 0) follow(self, [](const auto&) { return true; });
}
TESSERA_CALL(TCell, walk, around<moore, &Tissue::chemokine, &Tissue::deaths>, counts<moore, TCell, Macrophage>, moves<moore>) {
    follow(self, [&](const auto& site) { return site.count(agents<Macrophage>) == 0 || self.random.bernoulli(t_enters); });
}

template<class Self> void die(Self& self, float released) {
    self.spill = released / 9;
    self.kill();
}
// The one macrophage of a place eats the bacteria there, whatever number of T cells stands beside it.
TESSERA_CALL(Macrophage, live, writes<&Macrophage::state, &Macrophage::inside, &Macrophage::spill, &Macrophage::age, &Tissue::bacteria>,
             counts<with_here<von_neumann>, TCell>, adds<&Tissue::chemokine, &Tissue::deaths>, dies) {
    self.age += 1;
    if (self.state != resting) self.place.chemokine += 5000;
    if (self.state == resting) {
        if (self.place.bacteria <= 2) {
            self.place.bacteria = 0;
        } else {
            self.place.bacteria -= 2;
            if (!self.random.bernoulli(kill_chance)) self.inside = 2, self.state = infected;
        }
        if (self.age > 14400) self.kill();
    } else if (self.state == infected) {
        self.inside *= 1.0021022f; // 2.1e-5 a hundredth of a step
        const float chance = activation * static_cast<float>(self.count(with_here<von_neumann>, agents<TCell>));
        if (self.inside > 10)
            self.state = chronic;
        else if (self.random.bernoulli(chance))
            self.state = activated, self.age = 0;
        if (self.age > 14400) die(self, self.inside);
    } else if (self.state == chronic) {
        self.inside += 2.1e-3f * self.inside * (1 - self.inside / 50);
        if (self.inside > 20 || self.age > 14400) {
            self.place.deaths += 1;
            die(self, self.inside);
        } else if (self.count(here, agents<TCell>) > 0 && self.random.bernoulli(lysis))
            die(self, self.inside / 2);
    } else {
        self.place.bacteria = max(0.0f, self.place.bacteria - 10);
        if (self.age > 1440) self.kill();
    }
}
// Those who die are still met, until `manageAll`.
TESSERA_CALL(Tissue, burst, meets<with_here<moore>, &Macrophage::spill>, writes<&Tissue::bacteria>) {
    self.meet(with_here<moore>, agents<Macrophage>, [&](const auto& other) { self.bacteria += other.spill; });
}
TESSERA_CALL(TCell, grow_old, writes<&TCell::age>, dies) {
    if (++self.age > 432) self.kill();
}
TESSERA_CALL(Tissue, recruit, reads<&Tissue::vessel, &Tissue::chemokine, &Tissue::deaths>, counts<here, Macrophage, TCell>,
             spawns<Macrophage>, spawns<TCell>) {
    if (!self.vessel || self.chemokine < 1 || self.deaths >= necrotic) return;
    if (self.count(here, agents<Macrophage>) == 0 && self.random.bernoulli(macrophage_comes))
        self.spawn(Macrophage{.age = self.random.below(14400)});
    if (self.step >= t_first && self.count(here, agents<TCell>) == 0 && self.random.bernoulli(t_comes)) self.spawn(TCell{});
}

TESSERA_MODEL(tuberculosis, "macrophages and T cells around bacteria: a granuloma");
TESSERA_DEFAULTS(R"toml(run.steps = 14400
places.tissue = { size = [100, 100], boundary = "open" }
agents.macrophage = { count = 105, init.age = { random = "below", n = 14400 } }
agents.t_cell = { capacity = 1 }
phase = [{ repeat = { phases = [{ exchangeAll = "tissue" }, { callAll = "tissue.spread" }], times = 100 } }, { exchangeAll = "*" },
         { callAll = "macrophage.walk" }, { callAll = "t_cell.walk" }, { manageAll = "*" }, { callAll = "macrophage.live" }, { exchangeAll = "*" },
         { callAll = "tissue.burst" }, { callAll = "t_cell.grow_old" }, { callAll = "tissue.recruit" }, { manageAll = "*" }]
)toml");
