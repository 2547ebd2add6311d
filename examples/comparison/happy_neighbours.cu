// Schelling's segregation as JuliaDynamics/ABMFrameworksComparison declares it: people are happy with so many neighbours of their group
// within a radius, and move to a free home at random where they are not. There they go one after the other; here all decide by the same
// state, and those who are refused a home draw another one.
#include <tessera/model.hpp>

struct Home {};
TESSERA_PLACE(Home);
struct Person {
    std::uint8_t group = 0;
    bool happy = false;
};
TESSERA_AGENT(Person, on<Home>, group, happy);
TESSERA_DOC(Person::happy, "whether it has enough neighbours of its group; those who have not moved in this step look no further");

TESSERA_PARAM(int, radius, 1, range(1, 16), "how far a person sees, in each direction");
TESSERA_PARAM(int, wanted, 3, range(0, 1000), "how many neighbours of its group make a person happy");

TESSERA_INIT(Person, join, sets<&Person::group>) { self.group = static_cast<std::uint8_t>(self.random.below(2)); }

TESSERA_CALL(Person, look, reads<&Person::group>, meets<moore_of<radius>, &Person::group>, sets<&Person::happy>) {
    int alike = 0;
    self.meet(moore_of<radius>, agents<Person>, [&](const auto& other) { alike += other.group == self.group ? 1 : 0; });
    self.happy = alike >= wanted;
}
TESSERA_CALL(Person, draw, reads<&Person::happy>, moves<anywhere>) {
    if (self.happy) return;
    const auto x = self.random.below(self.size.x), y = self.random.below(self.size.y);
    self.migrate_to(x, y);
}
TESSERA_CALL(Person, settle, reads<moved>, writes<&Person::happy>) { self.happy |= self.moved(); }

TESSERA_MODEL(happy_neighbours, "segregation, as a comparison of frameworks declares it");
TESSERA_DEFAULTS(R"toml(run.steps = 20
places.home = { size = [40, 40], boundary = "open" }
agents.person = { count = 1000 }
phase = [{ callAll = "person.look" },
         { repeat = { phases = [{ callAll = "person.draw" }, { manageAll = "person" }, { callAll = "person.settle" }], times = 20 } }]
)toml");
