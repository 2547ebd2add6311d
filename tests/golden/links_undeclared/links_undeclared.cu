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

TESSERA_CALL(Person, tick, writes<&Person::days>) {
    self.days = self.count(links<Friend>);
}
TESSERA_CALL(Person, ask, writes<&Person::days>) {
    self.days = self.any(links<Friend>, [](const auto& other) { return other.opinion > 0; });
}
TESSERA_CALL(Person, meet, reads<&Person::days>) {
    self.spawn(Friend{}, 3);
}

TESSERA_MODEL(links_undeclared, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
run.steps = 1)toml");
