#include <tessera/model.hpp>

struct Person {
    std::uint8_t state = 0;
    std::int32_t days = 0;
};
TESSERA_PLACE(Person, state, days);
struct Contact {
    float chance = 0.5f;
};
TESSERA_LINK(Contact, between<Person>, chance);

TESSERA_CALL(Person, live, around<links<Contact>, &Person::state>, writes<&Person::days>) {
    self.days += self.count(links<Contact>);
}

TESSERA_MODEL(village, "people who know each other");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.contact.generate = { rule = "random", links = 5 }
run.steps = 1)toml");
