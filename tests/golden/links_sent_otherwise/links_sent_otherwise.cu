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

TESSERA_CALL(Person, tick, adds<links<Friend>, &Person::opinion>) {
    self.send(links<Friend>, [&](const auto& there) { there.opinion.after(2) = 1; });
}
TESSERA_CALL(Person, read, adds<links<Friend>, &Person::opinion>) {
    const float most = 1;
    self.send(links<Friend>, [&](const auto& there) { there.opinion += min(most, float(there.opinion)); });
}
TESSERA_CALL(Person, other, adds<links<Friend>, &Person::opinion>) {
    self.send(links<Friend>, [&](const auto& there) { there.days += 1; });
}

TESSERA_MODEL(links_sent_otherwise, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
run.steps = 1)toml");
