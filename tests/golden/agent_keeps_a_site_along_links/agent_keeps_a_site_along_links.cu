#include <tessera/model.hpp>

struct Person { float taste = 0; };
TESSERA_PLACE(Person, taste);
struct Friend { float closeness = 1; };
TESSERA_LINK(Friend, between<Person>, closeness);
struct Walker { float mood = 0; };
TESSERA_AGENT(Walker, on<Person>, mood);

TESSERA_CALL(Walker, go, around<links<Friend>, &Person::taste>, moves<links<Friend>>) {
    self.each(links<Friend>, [&](const auto& site) {
        auto best = site;
        self.migrate(best);
    });
}
TESSERA_CALL(Walker, calm, writes<&Walker::mood>) { self.mood = self.mood ^ 2; }

TESSERA_MODEL(agent_keeps_a_site_along_links, "a broken model");
TESSERA_DEFAULTS(R"toml(places.person.count = 10
links.friend.generate = { rule = "ring", degree = 2 }
agents.walker = {}
run.steps = 1)toml");
