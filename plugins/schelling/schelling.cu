// Segregation, after T. C. Schelling, "Dynamic models of segregation" (1971): people of two kinds who are content where enough of their
// neighbours are like them. All look at the same state; then those who are not content draw places until they find a free one.
#include <tessera/model.hpp>

struct Home {};
TESSERA_PLACE(Home);
struct Person {
    std::uint8_t kind = 0;
    bool content = true;
    float alike = 1;
};
TESSERA_AGENT(Person, on<Home>, kind, content, alike);
TESSERA_VALUES(Person::kind, first, second);
TESSERA_DOC(Person::alike,
            "share of its neighbours that were like it at the start of the step; 1 without neighbours, and before the first step");

TESSERA_PARAM(float, wanted, 0.375f, range(0, 1), "share of the neighbours that have to be alike for somebody to be content");

TESSERA_INIT(Person, draw_kind, sets<&Person::kind>) { self.kind = static_cast<std::uint8_t>(self.random.below(2)); }

TESSERA_CALL(Person, feel, reads<&Person::kind>, meets<moore, &Person::kind>, sets<&Person::content, &Person::alike>) {
    int alike = 0, all = 0;
    self.meet(moore, agents<Person>, [&](const auto& other) { all += 1, alike += other.kind == self.kind ? 1 : 0; });
    self.alike = all > 0 ? static_cast<float>(alike) / static_cast<float>(all) : 1;
    self.content = self.alike >= wanted;
}
TESSERA_CALL(Person, draw, reads<&Person::content>, moves<anywhere>) {
    if (self.content) return;
    const auto x = self.random.below(self.size.x), y = self.random.below(self.size.y);
    self.migrate_to(x, y);
}
TESSERA_CALL(Person, settle, reads<moved>, writes<&Person::content>) { self.content |= self.moved(); }

TESSERA_MODEL(schelling, "segregation of two kinds of people");
TESSERA_DEFAULTS(R"toml(run.steps = 50
places.home = { size = [100, 100], boundary = "torus" }
agents.person = { count = 8000 }
phase = [{ callAll = "person.feel" },
         { repeat = { phases = [{ callAll = "person.draw" }, { manageAll = "person" }, { callAll = "person.settle" }], times = 20 } }]
)toml");
