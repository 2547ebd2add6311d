// What a checked run finds on any device. What goes wrong is the parameter's to say, and goes wrong in many calls at once: that of the
// first place or agent is told.
#include "shares.hpp"

#include <tessera/model.hpp>

TESSERA_PARAM(int, kind, 0)

struct Field {
    int b = 2;
    float heat = 0.5f, unknown = 0;
    int v[4] = {1, 2, 3, 4}, part[2] = {7, 8};
};
TESSERA_PLACE(Field, b, heat, unknown, v, part);

struct Walker {
    int energy = 5;
    float weight = 1;
    bool rested = false;
};
TESSERA_AGENT(Walker, on<Field>, energy, weight, rested);

TESSERA_INIT(Field, begin, writes<&Field::b>) {
    if (kind == 1) TESSERA_ASSERT(self.position.y < 3, "fields begin well"); // init
}
TESSERA_CALL(Field, tick, writes<&Field::b, &Field::heat, &Field::v>) { // tick
    const bool here = self.position.x >= 3 && self.position.y >= 2 && self.step >= 4;
    if (kind == 2) TESSERA_ASSERT(self.b + 4 < (here ? 3 : 100), "b is small"); // assert
    if (kind == 3) self.b = expected(here ? -1 : self.b);
    if (kind == 4) self.heat = 0.0f / (here ? 0.0f : 1.0f);
    if (kind == 5) self.b = self.v[here ? 4 : 3];                              // index
    if (kind == 11) self.b = self.random.below(here ? -self.v[0] : self.v[2]); // draw
    if (kind == 12) self.b = self.random.bernoulli(here ? 1.5f : 1.0f);        // chance
    if (kind == 13) self.b = self.random.bernoulli(here ? -0.5f : 0.0f);       // negative
    self.v[1] = self.b + 1;
}
TESSERA_CALL(Field, divide, reads<&Field::b>, sets<&Field::part>) { // divide
    self.part[0] = self.b;
    if (kind != 15 || self.position.x < 3 || self.position.y < 2 || self.step < 4) self.part[1] = self.b + 1;
}
TESSERA_CALL(Field, late, reads<&Field::unknown>, writes<&Field::heat>) {
    if (kind == 6) self.heat = self.unknown; // that was read
    if (kind == 2) TESSERA_ASSERT(self.step < 4, "nobody comes here, for the phase before is looked at first");
    if (kind == 7) TESSERA_ASSERT(self.position.x + self.position.y < 19, "it is not the last one"); // last
}
TESSERA_CALL(Walker, walk, writes<&Walker::energy, &Walker::weight>, adds<&Field::heat>, counts<here, Walker>, moves<moore>) { // walk
    const bool late = self.step >= 2 && self.id % 3 == 0;
    if (kind == 8) TESSERA_ASSERT(self.energy > (late ? 5 : 4), "walkers are strong"); // strong
    if (kind == 9) self.weight = 0.0f / (late ? 0.0f : 1.0f);
    if (kind == 10) self.place.heat += 3e38f * static_cast<float>(self.energy) - (late ? 3e38f * static_cast<float>(self.energy) : 0.0f);
    const auto dx = self.random.below(3) - 1, dy = self.random.below(3) - 1;
    self.migrate(dx, dy);
}
// What it asks for is asked for once.
TESSERA_CALL(Walker, rest, reads<&Walker::energy>, sets<&Walker::rested>, adds<&Field::heat>, spawns<Walker>, dies) { // rest
    self.place.heat += 1;
    if (self.random.bernoulli(0.1f)) self.spawn(Walker{.energy = self.energy});
    if (self.random.bernoulli(0.1f)) self.kill();
    if (kind == 16 && self.step >= 2 && self.id % 3 == 0) return;
    self.rested = !self.dying();
}
TESSERA_MODEL(mistakes, "what goes wrong on any device");
TESSERA_DEFAULTS(R"toml(run.steps = 6
places.field = { size = [200, 20], init.unknown = { value = nan } }
agents.walker = { count = 900, capacity = 2 }
phase = [{ callAll = "field.tick" }, { callAll = "field.late" }, { callAll = "field.divide" }, { callAll = "walker.walk" }, { callAll = "walker.rest" },
         { manageAll = "walker" }])toml");
