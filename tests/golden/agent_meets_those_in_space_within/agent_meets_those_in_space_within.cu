#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Cloud, look, meets<within<1>, agents<Bird>>, writes<&Cloud::rain>) {
    self.meet(within<1>, agents<Bird>, [&](const auto& other) { self.rain += 1; });
}

TESSERA_MODEL(agent_meets_those_in_space_within, "a broken model");
