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

TESSERA_CALL(Person, tick, around<links<Friend>, &Person::opinion>, writes<&Person::days>) {
    self.days = static_cast<int>(self(1, 0).opinion);
}

TESSERA_MODEL(place_called_as_a_function, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
run.steps = 1)toml");
