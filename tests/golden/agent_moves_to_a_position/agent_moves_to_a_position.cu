#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Cloud, drift, moves<moore>) {
    self.move_to(1, 2);
}

TESSERA_MODEL(agent_moves_to_a_position, "a broken model");
