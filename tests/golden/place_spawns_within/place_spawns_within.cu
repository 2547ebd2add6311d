#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Air, breed, spawns<Bird, within<1>>) {
    self.spawn(Bird{}, space_point<float>{1, 2, 0});
}

TESSERA_MODEL(place_spawns_within, "a broken model");
