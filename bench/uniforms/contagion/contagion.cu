// An epidemic in which each ill neighbour makes ill by itself, so that the chance is a power of their number: from a table that is made
// once a step, or, with `once` = 0, worked out by each person. The state is the same.
#include <tessera/model.hpp>

struct Person {
    std::uint8_t ill = 0;
    std::uint8_t immune = 0; // days left
};
TESSERA_PLACE(Person, ill, immune);
TESSERA_PARAM(int, once, 1, range(0, 1), "whether chances are made once a step");
TESSERA_PARAM(float, infection, 0.08f, range(0, 1), "chance to fall ill of one ill neighbour");
TESSERA_PARAM(float, recovery, 0.2f, range(0, 1), "chance to recover in a day");

float chance_of(int neighbours) { return 1.0f - pow(1.0f - infection, static_cast<float>(neighbours)); }

TESSERA_UNIFORM(float[9], chance) { return chance_of(self.index); }

TESSERA_CALL(Person, day, around<moore, &Person::ill>, writes<&Person::ill, &Person::immune>, reads<chance>) {
    const int danger = self.sum(moore, &Person::ill);
    const float fate = self.random.uniform(), risk = once != 0 ? self.get(chance)[danger] : chance_of(danger);
    const bool recovers = self.ill & (fate < recovery);
    const bool falls_ill = (self.ill == 0) & (self.immune == 0) & (fate < risk);
    const std::uint8_t left = self.immune > 0 ? self.immune - 1 : 0;
    self.immune = recovers ? 30 : left;
    self.ill = (self.ill & !recovers) | falls_ill;
}

TESSERA_MODEL(contagion, "an epidemic in which each ill neighbour makes ill by itself");
TESSERA_DEFAULTS(R"toml(run.steps = 365
places.person = { size = [512, 512], boundary = "torus", init.ill = { random = 0.01 } }
phase = [{ exchangeAll = "person" }, { callAll = "person.day" }]
)toml");
