// An epidemic among people who stay where they are: ill neighbours make ill, the ill recover and are immune for a while. One draw a day.
#include <tessera/model.hpp>

struct Person {
    std::uint8_t ill = 0;
    std::uint8_t immune = 0; // days left
};
TESSERA_PLACE(Person, ill, immune);
TESSERA_PARAM(float, infection, 0.08f, range(0, 0.125), "chance to fall ill of each ill neighbour");
TESSERA_PARAM(float, recovery, 0.2f, range(0, 1), "chance to recover in a day");

TESSERA_CALL(Person, day, around<moore, &Person::ill>, writes<&Person::ill, &Person::immune>) {
    const int danger = self.sum(moore, &Person::ill);
    const float fate = self.random.uniform();
    const bool recovers = self.ill & (fate < recovery);
    const bool falls_ill = (self.ill == 0) & (self.immune == 0) & (fate < static_cast<float>(danger) * infection);
    const std::uint8_t left = self.immune > 0 ? self.immune - 1 : 0;
    self.immune = recovers ? 30 : left;
    self.ill = (self.ill & !recovers) | falls_ill;
}

TESSERA_MODEL(epidemic, "an epidemic among people who stay where they are");
TESSERA_DEFAULTS(R"toml(run.steps = 365
places.person = { size = [512, 512], boundary = "torus", init.ill = { random = 0.01 } }
phase = [{ exchangeAll = "person" }, { callAll = "person.day" }]
output = [{ every = 1, csv = "people.csv", columns = { ill = "sum(person.ill)" } }])toml");
