// Walkers on a grid, each of a person that has a number and no place there: whom they meet their persons come to know, and they leave
// trails from square to square. Links that agents ask for, beside those that places ask for.
#include <tessera/model.hpp>

struct Square {
    std::int64_t seen = 0;
};
TESSERA_PLACE(Square, seen);
struct Person {
    std::int64_t seen = 0;
};
TESSERA_PLACE(Person, seen);
struct Known {
    std::int32_t since = -1;
    std::int64_t by = 0;
    std::int16_t marks[2] = {0, 0};
};
TESSERA_LINK(Known, between<Person>, since, by, marks);
struct Trail {
    std::int64_t by = 0;
};
TESSERA_LINK(Trail, from<Square>::to<Square>, by);
struct Walker {
    std::int32_t person = 0, last = -1;
};
TESSERA_AGENT(Walker, on<Square>, person, last);

TESSERA_PARAM(float, fading, 0.3f, range(0, 1), "how likely a link ends in a step");

TESSERA_CALL(Known, fade, dies) {
    if (self.random.bernoulli(fading)) self.kill();
}
TESSERA_CALL(Trail, fade, dies) {
    if (self.random.bernoulli(fading)) self.kill();
}
// Whom it meets, and every other time person 1.
TESSERA_CALL(Walker, meet, reads<&Walker::person>, meets<here, &Walker::person>, spawns<Known, anywhere, 3>) {
    std::int16_t asked = 0;
    const auto ask = [&](std::int64_t other) {
        if (asked == 3) return;
        self.spawn(Known{.since = static_cast<std::int32_t>(self.step), .by = static_cast<std::int64_t>(self.id), .marks = {asked, 7}},
                   self.person, other);
        ++asked;
    };
    if (self.random.below(2) == 0) ask(1);
    self.meet(here, agents<Walker>, [&](const auto& other) { ask(other.person); });
}
TESSERA_CALL(Walker, roam, writes<&Walker::last>, moves<moore>, spawns<Trail>, spawns<Known>) {
    const std::int64_t here = self.place.id;
    if (self.last >= 0) self.spawn(Trail{.by = static_cast<std::int64_t>(self.id)}, self.last, here);
    self.last = static_cast<std::int32_t>(here);
    const int dx = self.random.below(3) - 1, dy = self.random.below(3) - 1;
    if (dx != 0 || dy != 0) self.migrate(dx, dy);
    if (dx == 1 && dy == 1) self.spawn(Known{.by = -5}, 2, 3);
}
TESSERA_CALL(Walker, multiply, reads<&Walker::person>, spawns<Walker>, dies) {
    const int fate = self.random.below(10);
    if (fate == 0) self.spawn(Walker{.person = (self.person * 7 + 1) % 40});
    if (fate == 1) self.kill();
}
TESSERA_CALL(Person, greet, spawns<Known>) { self.spawn(Known{.by = -1}, self.random.below(static_cast<std::int32_t>(self.size))); }

TESSERA_CALL(Walker, stray, spawns<Trail>) {
    if (self.place.id == 5) self.spawn(Trail{}, 5, 100000);
}
TESSERA_CALL(Walker, grab, reads<&Walker::person>, spawns<Known, anywhere, 2>, spawns<Walker>) {
    for (int i = 0; i < 3; ++i) self.spawn(Known{}, self.person, i);
}

TESSERA_CALL(Person, look, around<links<Known>, &Known::since, &Known::by, &Known::marks>, writes<&Person::seen>) {
    self.each(links<Known>, [&](const auto& other) {
        self.seen = (self.seen * 31 + other.id + other.link.since + other.link.by % 1000 + 10 * other.link.marks[0]) % 1000003;
    });
}
TESSERA_CALL(Square, look, around<out_links<Trail>, &Trail::by>, writes<&Square::seen>) {
    self.each(out_links<Trail>, [&](const auto& there) { self.seen = (self.seen * 31 + there.id + there.link.by % 1000) % 1000003; });
}
TESSERA_MODEL(encounters, "walkers, whom they know, and their trails");
TESSERA_DEFAULTS(R"toml(run.steps = 5
places.square.size = [9, 7]
places.person.count = 40
links.known.generate = { rule = "random", links = 60 }
links.trail.generate = { rule = "random", links = 20 }
agents.walker = { count = 120, capacity = 4, init.person = { random = "below", n = 40 } }
schedule.exchange = "auto"
phase = [{ callAll = "known.fade" }, { callAll = "trail.fade" }, { callAll = "walker.meet" }, { callAll = "walker.roam" },
         { manageAll = "walker" }, { callAll = "walker.meet" }, { callAll = "walker.multiply" }, { manageAll = "walker" },
         { callAll = "person.greet" }, { manageAll = ["known", "trail"] }, { callAll = "person.look" }, { callAll = "square.look" }])toml");
