// Sugarscape, rules G and M of J. M. Epstein and R. Axtell, Growing Artificial Societies (1996): ants that look along the axes for the
// place with the most sugar, go there, eat, and die when they have none left.
//
// The book's ants go one after the other. Here all of them look at the same state, and of those who want the same place one is drawn. The
// others look again at what is free by then, three times at most: else those who see far, and so want the same few places, would starve.
#include <tessera/model.hpp>

struct Field {
    float sugar = 0, capacity = 0;
};
TESSERA_PLACE(Field, sugar, capacity);

struct Ant {
    float sugar = 10;
    std::uint8_t vision = 3;
    std::uint8_t metabolism = 2;
};
TESSERA_AGENT(Ant, on<Field>, sugar, vision, metabolism);

TESSERA_PARAM(float, growback, 1.0f, range(0, 4), "sugar that a place grows back in a step, up to its capacity");
TESSERA_DOC(Ant::vision, "how many places along an axis it sees, 1 to 6");
TESSERA_DOC(Ant::metabolism, "sugar that it needs in a step");

// Two hills, of four units at their tops and one less every so many places down, for a grid of 50 x 50 every five.
TESSERA_INIT(Field, pile_up, sets<&Field::sugar, &Field::capacity>) {
    const float width = static_cast<float>(self.size.x) / 10;
    const auto hill = [&](std::int64_t x, std::int64_t y) {
        const float dx = static_cast<float>(self.position.x - x), dy = static_cast<float>(self.position.y - y);
        return 4 - floor(sqrt(dx * dx + dy * dy) / width);
    };
    const auto x = self.size.x / 4, y = self.size.y / 4;
    self.sugar = self.capacity = max(0.0f, max(hill(x, 3 * y), hill(3 * x, y)));
}

TESSERA_CALL(Field, grow, reads<&Field::capacity>, writes<&Field::sugar>) { self.sugar = min(self.sugar + growback, self.capacity); }

// The nearest of the free places with the most sugar; of several as near, any.
template<class Self> void choose(Self& self) {
    auto best = self.place.here();
    int equal = 1;
    self.place.each(lines_of<6>, self.vision, [&](const auto& site) { // the nearest first
        if (site.sugar < best.sugar || site.free() == 0) return;
        if (site.sugar == best.sugar && site.distance > best.distance) return;
        equal = site.sugar == best.sugar ? equal + 1 : 1;
        if (self.random.below(equal) == 0) best = site;
    });
    self.migrate(best);
}
TESSERA_CALL(Ant, look, reads<&Ant::vision>, around<lines_of<6>, &Field::sugar>, counts<lines_of<6>, Ant>, moves<lines_of<6>>) {
    choose(self);
}
TESSERA_CALL(Ant, look_again, reads<&Ant::vision>, reads<refused>, around<lines_of<6>, &Field::sugar>, counts<lines_of<6>, Ant>,
             moves<lines_of<6>>) {
    if (self.refused()) choose(self);
}

TESSERA_CALL(Ant, eat, reads<&Ant::metabolism>, writes<&Ant::sugar, &Field::sugar>, dies) {
    self.sugar += self.place.sugar - self.metabolism;
    self.place.sugar = 0;
    if (self.sugar <= 0) self.kill();
}

TESSERA_MODEL(sugarscape, "ants that look for sugar, eat and starve");
TESSERA_DEFAULTS(R"toml(run.steps = 500
places.field = { size = [50, 50], boundary = "torus" }
agents.ant = { count = 400, init = { sugar = { random = "uniform", low = 5, high = 25 }, vision = { random = "below", n = 6, plus = 1 }, metabolism = { random = "below", n = 4, plus = 1 } } }
phase = [{ callAll = "field.grow" }, { exchangeAll = "field" }, { callAll = "ant.look" }, { manageAll = "ant" },
         { repeat = { phases = [{ callAll = "ant.look_again" }, { manageAll = "ant" }], times = 3 } }, { callAll = "ant.eat" }, { manageAll = "ant" }]
)toml");
