#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Bird, look, meets<within<2>, agents<Bird>>, reads<&Bird::speed>, writes<&Bird::speed>) {
    const float near = self.speed;
    self.meet(within<near>, agents<Bird>, [&](const auto& other) { self.speed += other.away.x; });
}

TESSERA_MODEL(space_meets_within_a_variable, "a broken model");
