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
struct Ant {
    float load = 0;
};
TESSERA_AGENT(Ant, load);

TESSERA_CALL(Person, tick, writes<&Person::days>) {
    self.days = 1;
}

TESSERA_MODEL(agent_without_ground, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
run.steps = 1)toml");
