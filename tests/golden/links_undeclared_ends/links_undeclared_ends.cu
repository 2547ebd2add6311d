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

TESSERA_CALL(Person, tell, reads<&Person::days>) {
    self.send(links<Friend>, [](const auto& there) { there.opinion += 1; });
}
TESSERA_CALL(Friend, fade, writes<&Friend::weight>) {
    self.weight = self.from.opinion;
}
TESSERA_CALL(Person, degree, around<links<Friend>, &Person::opinion>, writes<&Person::days>) {
    self.days = self.degree(links<Friend>);
}

TESSERA_MODEL(links_undeclared_ends, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
run.steps = 1)toml");
