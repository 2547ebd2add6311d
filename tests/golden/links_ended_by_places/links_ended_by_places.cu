#include <tessera/model.hpp>

struct Person { float taste = 0; };
TESSERA_PLACE(Person, taste);
struct Friend { float closeness = 1; };
TESSERA_LINK(Friend, between<Person>, closeness);
struct Walker { float mood = 0; };
TESSERA_AGENT(Walker, on<Person>, mood);

TESSERA_CALL(Person, part, around<links<Friend>, &Person::taste>) {
    self.each(links<Friend>, [&](const auto& other) {
        if (other.taste > 1) other.link.kill();
        if (other.taste > 2) other.kill();
        if (other.taste > 3) other.link.part();
    });
}

TESSERA_MODEL(links_ended_by_places, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
agents.walker = {}
run.steps = 1)toml");
