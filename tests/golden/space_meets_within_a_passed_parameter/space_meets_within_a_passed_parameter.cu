#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_PARAM(float, near, 1, range(0.5, 2), "how far it looks");

TESSERA_CALL(Bird, look, meets<within<2>, agents<Bird>>, writes<&Bird::speed>) {
    self.meet(within<near>, agents<Bird>, [&](const auto& other) { self.speed += other.away.x; });
}

TESSERA_MODEL(space_meets_within_a_passed_parameter, "a broken model");
TESSERA_DEFAULTS(R"toml(places.air = { size = [10, 10], extent = [20, 20] }
agents.bird.count = 10
run.bake = false)toml");
