#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Air, blow, around<within<1>, &Air::wind>, writes<&Air::wind>) {
    self.each(within<1>, [&](const auto& other) { self.wind += other.wind; });
}

TESSERA_MODEL(place_looks_around_within, "a broken model");
