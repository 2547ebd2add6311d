// Sugarscape as MASS CUDA has it: ants that look east and then north for the first place with sugar, and places that they pollute. What
// differs from that program: nobody looks on into the next row beyond the eastern edge, nor is the place of number 0 left out.
#include <tessera/model.hpp>

struct Plot {
    int sugar = 0, most = 0;
    float pollution = 0;
};
TESSERA_PLACE(Plot, sugar, most, pollution);
TESSERA_DOC(Plot::most, "sugar that grows there");
struct Ant {
    int sugar = 5, metabolism = 2;
};
TESSERA_AGENT(Ant, on<Plot>, sugar, metabolism);

TESSERA_INIT(Plot, pile_up, sets<&Plot::sugar, &Plot::most>) {
    const auto hill = [&](std::int64_t x, std::int64_t y) {
        const float dx = static_cast<float>(self.position.x - x), dy = static_cast<float>(self.position.y - y);
        const float distance = sqrt(dx * dx + dy * dy), radius = static_cast<float>(self.size.x / 2);
        return distance < radius ? to_int<int>(4.5f - 4 * distance / radius) : 0;
    };
    const auto near = self.size.x / 3, far = self.size.x - self.size.x / 3 - 1;
    self.sugar = self.most = max(hill(near, far), hill(far, near));
}
TESSERA_INIT(Ant, wake, sets<&Ant::sugar, &Ant::metabolism>) {
    self.sugar = 1 + self.random.below(10);
    self.metabolism = 1 + self.random.below(4);
}

TESSERA_CALL(Plot, grow, reads<&Plot::most>, writes<&Plot::sugar, &Plot::pollution>) {
    if (self.sugar < self.most) self.sugar += 1;
    self.pollution += 1;
}
TESSERA_CALL(Plot, spread, around<von_neumann, &Plot::pollution>, writes<&Plot::pollution>) {
    self.pollution = self.sum(von_neumann, &Plot::pollution) / 4; // its own does not count, and there is none beyond an edge
}
inline constexpr auto in_sight = offsets<east, offset<2, 0>, offset<3, 0>, north, offset<0, -2>, offset<0, -3>>;
TESSERA_CALL(Ant, look, around<in_sight, &Plot::sugar, &Plot::pollution>, counts<in_sight, Ant>, moves<in_sight>) {
    bool found = false;
    self.place.each(in_sight, [&](const auto& site) {
        if (found || site.free() == 0 || !(static_cast<float>(site.sugar) / (1 + site.pollution) > 0)) return;
        found = true;
        self.migrate(site);
    });
}
TESSERA_CALL(Ant, eat, reads<&Ant::metabolism>, writes<&Ant::sugar, &Plot::sugar, &Plot::pollution>, dies) {
    self.sugar += self.place.sugar - self.metabolism;
    self.place.sugar = 0;
    self.place.pollution += self.metabolism;
    if (self.sugar < 0) self.kill();
}

TESSERA_MODEL(sugarscape_mass, "ants that look for sugar and pollute, after MASS CUDA");
TESSERA_DEFAULTS(R"toml(run.steps = 100
places.plot = { size = [100, 100], boundary = "open" }
agents.ant = { count = 2000, priority = "id" }
phase = [{ callAll = "plot.grow" }, { exchangeAll = "plot" }, { callAll = "plot.spread" }, { exchangeAll = "plot" }, { callAll = "ant.look" },
         { manageAll = "ant" }, { callAll = "ant.eat" }, { manageAll = "ant" }]
)toml");
