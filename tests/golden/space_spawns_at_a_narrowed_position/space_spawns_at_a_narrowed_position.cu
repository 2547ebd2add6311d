#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Bird, breed, spawns<Bird, within<1>>) {
    self.spawn(Bird{}, {self.position.x + 0.5, self.position.y, 0});
}

TESSERA_MODEL(space_spawns_at_a_narrowed_position, "a broken model");
