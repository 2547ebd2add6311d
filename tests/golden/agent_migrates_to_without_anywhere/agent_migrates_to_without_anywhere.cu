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
    self.migrate_to(3, 0);
}

TESSERA_MODEL(agent_migrates_to_without_anywhere, "a broken model");
