// Ants that eat what grows, much as in `sugarscape`, with little memory: what kernels by hand for agents in slots are compared with.
#include <tessera/model.hpp>

struct Field {
    std::uint8_t sugar = 0, capacity = 0;
};
TESSERA_PLACE(Field, sugar, capacity);

struct Ant {
    std::int32_t sugar = 10;
    std::uint8_t vision = 3, metabolism = 2;
};
TESSERA_AGENT(Ant, on<Field>, sugar, vision, metabolism);

// Two hills of four terraces.
TESSERA_INIT(Field, pile_up, sets<&Field::sugar, &Field::capacity>) {
    const float width = static_cast<float>(self.size.x) / 10;
    const auto hill = [&](std::int64_t x, std::int64_t y) {
        const float dx = static_cast<float>(self.position.x - x), dy = static_cast<float>(self.position.y - y);
        return 4 - floor(sqrt(dx * dx + dy * dy) / width);
    };
    const auto x = self.size.x / 4, y = self.size.y / 4;
    self.sugar = self.capacity = static_cast<std::uint8_t>(max(0.0f, max(hill(x, 3 * y), hill(3 * x, y))));
}

TESSERA_CALL(Field, grow, reads<&Field::capacity>, writes<&Field::sugar>) {
    if (self.sugar < self.capacity) self.sugar = static_cast<std::uint8_t>(self.sugar + 1);
}

// Towards the most sugar on a free place that an ant sees: of several that have as much, the first of the nearest.
TESSERA_CALL(Ant, look, reads<&Ant::vision>, around<lines_of<4>, &Field::sugar>, counts<lines_of<4>, Ant>, moves<lines_of<4>>) {
    auto best = self.place.here();
    self.place.each(lines_of<4>, self.vision, [&](const auto& site) {
        if (site.sugar <= best.sugar || site.free() == 0) return;
        best = site;
    });
    self.migrate(best);
}

TESSERA_CALL(Ant, eat, reads<&Ant::metabolism>, writes<&Ant::sugar, &Field::sugar>, dies) {
    self.sugar += self.place.sugar - self.metabolism;
    self.place.sugar = 0;
    if (self.sugar <= 0) self.kill();
}

TESSERA_MODEL(sugar, "ants on sugar, with little memory");
TESSERA_DEFAULTS(R"toml(run.steps = 500
places.field = { size = [50, 50], boundary = "torus" }
phase = [{ callAll = "field.grow" }, { exchangeAll = "field" }, { callAll = "ant.look" }, { manageAll = "ant" },
         { callAll = "ant.eat" }, { manageAll = "ant" }]

[agents.ant]
count = 400
priority = "id"
init.sugar = { random = "below", n = 80, plus = 20 }
init.vision = { random = "below", n = 4, plus = 1 }
init.metabolism = { random = "below", n = 4, plus = 1 }
)toml");
