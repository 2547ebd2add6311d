// Opinions of people who listen to those of their friends who do not think all too differently, and friendships that end where people have
// nothing to say to each other any more, and begin anew: bounded confidence (Deffuant and others, Advances in Complex Systems 3, 87 (2000);
// Hegselmann and Krause, JASSS 5(3) (2002)), all at once, on a network that changes with the opinions.
#include <tessera/model.hpp>

struct Person {
    float opinion = 0;
};
TESSERA_PLACE(Person, opinion);
TESSERA_DOC(Person::opinion, "from 0 to 1");
struct Friend {
    std::int32_t since = 0;
};
TESSERA_LINK(Friend, between<Person>, since);
TESSERA_DOC(Friend::since, "the step in which the friendship began");

TESSERA_PARAM(float, confidence, 0.25f, range(0, 1), "how far apart opinions may be of people who listen to each other");
TESSERA_PARAM(float, parting, 0.1f, range(0, 1), "probability that a friendship of people further apart ends in a step");
TESSERA_PARAM(int, enough, 8, range(0, 1000), "who has so many friends looks for no others");

// Half of the way to the mean of what those friends think.
TESSERA_CALL(Person, listen, around<links<Friend>, &Person::opinion>, writes<&Person::opinion>) {
    const float mine = self.opinion;
    const auto is_near = [&](const auto& other) { return abs(other.opinion - mine) <= confidence; };
    const int near = self.count(links<Friend>, is_near);
    const float pull = self.sum(links<Friend>, [&](const auto& other) { return is_near(other) ? other.opinion - mine : 0.0f; });
    if (near > 0) self.opinion += 0.5f * pull / static_cast<float>(near);
}
TESSERA_CALL(Friend, part, around<ends, &Person::opinion>, dies) {
    if (abs(self.from.opinion - self.to.opinion) > confidence && self.random.bernoulli(parting)) self.kill();
}
TESSERA_CALL(Person, befriend, around<links<Friend>>, spawns<Friend>) {
    if (self.count(links<Friend>) < enough)
        self.spawn(Friend{.since = static_cast<std::int32_t>(self.step)}, self.random.below(static_cast<std::int32_t>(self.size)));
}

TESSERA_MODEL(opinion, "friends who convince each other, or part");
TESSERA_DEFAULTS(R"toml(run.steps = 200
places.person = { count = 1000, init.opinion = { random = "uniform", low = 0, high = 1 } }
links.friend = { generate = { rule = "regular", degree = 8 } }
phase = [{ exchangeAll = "person" }, { callAll = "person.listen" }, { exchangeAll = "person" }, { callAll = "friend.part" },
         { callAll = "person.befriend" }, { manageAll = "friend" }]
)toml");
