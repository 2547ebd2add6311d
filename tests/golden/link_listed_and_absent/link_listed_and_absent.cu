#include <tessera/model.hpp>

struct Person {
    float opinion = 0;
    std::int32_t days = 0;
};
TESSERA_PLACE(Person, opinion, days);
struct Friend {
    float weight = 1;
};
TESSERA_LINK(Friend, between<Person>, weight);
struct Road {
    float length = 1;
};
TESSERA_LINK(Road, between<Person>, lenght);

TESSERA_CALL(Person, tick, writes<&Person::days>) {
    self.days = 1;
}

TESSERA_MODEL(link_listed_and_absent, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
run.steps = 1)toml");
