#include <tessera/model.hpp>

struct Person { float taste = 0; };
TESSERA_PLACE(Person, taste);
struct Friend { float closeness = 1; };
TESSERA_LINK(Friend, between<Person>, closeness);
struct Walker { float mood = 0; };
TESSERA_AGENT(Walker, on<Person>, mood);

TESSERA_CALL(Person, meet, reads<&Person::taste>) {
    self.spawn(Friend{.closeness = 0.5f}, 3);
}

TESSERA_MODEL(links_spawned_and_not_declared, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
agents.walker = {}
run.steps = 1
phase = [{ callAll = "person.meet" }, { manageAll = "friend" }])toml");
