// An epidemic on a network of contacts: susceptible, infected, recovered. Who is infected passes it on along each link with the link's
// chance, once a day. How many catch it in the end is known: M. E. J. Newman, Physical Review E 66, 016128 (2002).
#include <tessera/model.hpp>

struct Person {
    std::uint8_t state = 0;
    std::uint16_t days = 0;
};
TESSERA_PLACE(Person, state, days);
TESSERA_VALUES(Person::state, susceptible, infected, recovered);
TESSERA_DOC(Person::days, "for which the person has been infected");
struct Contact {
    float chance = 0.1f;
};
TESSERA_LINK(Contact, between<Person>, chance);
TESSERA_DOC(Contact::chance, "probability that an infected person infects the other in a day");
TESSERA_PARAM(int, ill_for, 5, range(1, 1000), "days for which a person is infected");

inline constexpr std::uint8_t susceptible = 0, infected = 1, recovered = 2;

TESSERA_CALL(Person, live, around<links<Contact>, &Person::state, &Contact::chance>, writes<&Person::state, &Person::days>) {
    if (self.state == infected) {
        self.days += 1;
        if (self.days >= ill_for) self.state = recovered;
    } else if (self.state == susceptible) {
        bool caught = false;
        self.each(links<Contact>, [&](const auto& other) {
            if (other.state == infected) caught |= self.random.bernoulli(other.link.chance);
        });
        if (caught) self.state = infected;
    }
}

TESSERA_MODEL(sir_network, "an epidemic on a network of contacts");
TESSERA_DEFAULTS(R"toml(run = { steps = 1000, stop = "count(person.state == 1) == 0" }
places.person = { count = 10_000, init.state = { random = 0.001 } }
links.contact = { generate = { rule = "regular", degree = 8 } }
phase = [{ exchangeAll = "person" }, { callAll = "person.live" }]
)toml");
