// Crowds that wander: in each step all walkers of a place go to one random neighbour, or stay, and nobody leaves the grid.
#include <tessera/model.hpp>

struct Field {
    std::uint32_t walkers = 0;
    std::uint8_t heading = 0; // 0 stays, 1 west, 2 east, 3 north, 4 south
    float wind = 0;
    std::int64_t last_visit = -1;
};
TESSERA_PLACE(Field, walkers, heading, wind, last_visit);
TESSERA_PARAM(double, settled, 0.2, range(0, 1), "share of the places that start with walkers");

TESSERA_INIT(Field, settle, sets<&Field::walkers>) {
    if (self.random.bernoulli(settled)) self.walkers = 1 + static_cast<std::uint32_t>(self.random.below(4));
}
TESSERA_CALL(Field, turn, sets<&Field::heading>, writes<&Field::wind>) {
    const bool there[] = {true, self.exists(west), self.exists(east), self.exists(north), self.exists(south)};
    const auto wanted = static_cast<std::uint8_t>(self.random.below(5));
    self.heading = there[wanted] ? wanted : 0;
    if (self.step % 2 == 0) {
        const float gust = self.random.normal(); // by itself: the order of two draws in one expression would be the compiler's
        self.wind = self.wind / 2 + (gust + self.random.uniform());
    }
}
TESSERA_CALL(Field, drift, around<von_neumann, &Field::walkers, &Field::heading>, writes<&Field::walkers, &Field::last_visit>) {
    const auto coming = [](const auto& from, int heading) { return from.heading == heading ? from.walkers : 0; };
    self.walkers =
        coming(self, 0) + coming(self.at(east), 1) + coming(self.at(west), 2) + coming(self.at(south), 3) + coming(self.at(north), 4);
    if (self.walkers > 0) self.last_visit = static_cast<std::int64_t>(self.step);
}

TESSERA_MODEL(random_walk_field, "crowds that wander over a field");
TESSERA_DEFAULTS(R"toml(run.steps = 100
places.field = { size = [61, 47], boundary = "torus" }
phase = [{ callAll = "field.turn" }, { exchangeAll = "field" }, { callAll = "field.drift" }]
output = [{ every = 10, csv = "walkers.csv", columns = { walkers = "sum(field.walkers)" } }])toml");
