#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Bird, look, meets<within<1>, agents<Bird>>, writes<&Bird::speed>) {
    self.speed += self.count(within<1>, agents<Bird>);
}

TESSERA_MODEL(space_counted_within_undeclared, "a broken model");
