// An epidemic: who is beside somebody ill may fall ill, and is immune after a while.
#include <tessera/model.hpp>

enum : std::uint8_t { healthy, ill, immune };

struct Person {
    std::uint8_t state = healthy;
    std::uint8_t days = 0;
};
TESSERA_PLACE(Person, state, days);
TESSERA_DOC(Person::state, "how somebody is");
TESSERA_VALUES(Person::state, healthy, ill, immune);
TESSERA_DOC(Person::days, "since it fell ill");

TESSERA_PARAM(float, infection, 0.1f, range(0, 1), "probability of falling ill beside one who is ill, a day");
TESSERA_PARAM(int, duration, 6, range(1, 100), "days of an illness");

TESSERA_CALL(Person, live, around<moore, &Person::state>, writes<&Person::state, &Person::days>) {
    int sick = 0;
    self.each(moore, [&](const auto& other) { sick += other.state == ill ? 1 : 0; });
    if (self.state == ill) {
        ++self.days;
        if (self.days >= duration) self.state = immune;
    } else if (self.state == healthy && sick > 0 && self.random.bernoulli(1 - pow(1 - infection, static_cast<float>(sick)))) {
        self.state = ill;
    }
}

TESSERA_MODEL(MODEL_NAME, "an epidemic on a grid");
