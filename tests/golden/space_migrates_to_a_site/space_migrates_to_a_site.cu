#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; };
TESSERA_AGENT(Bird, in<Air>, speed);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { float rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Bird, fly, around<moore, &Air::wind>, moves<within<1>>) {
    auto best = self.place.here();
    self.place.each(moore, [&](const auto& site) {
        if (site.wind > best.wind) best = site;
    });
    self.migrate(best);
}

TESSERA_MODEL(space_migrates_to_a_site, "a broken model");
