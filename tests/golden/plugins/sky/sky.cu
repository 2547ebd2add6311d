#include <tessera/model.hpp>

struct Air { float wind = 0; };
TESSERA_PLACE(Air, wind);
struct Bird { float speed = 0; float wing[2] = {}; };
TESSERA_AGENT(Bird, in<Air>, speed, wing);
struct Star { float mass = 1; };
TESSERA_AGENT(Star, in_double<Air>, mass);
struct Cloud { std::uint8_t rain = 0; };
TESSERA_AGENT(Cloud, on<Air>, rain);

TESSERA_CALL(Air, blow, writes<&Air::wind>) { self.wind += 1; }
TESSERA_CALL(Bird, fly, moves<within<1>>) { self.move_to(self.position.x + 0.5f, self.position.y); }
TESSERA_CALL(Bird, dash, moves<within<1>>) { self.move_to(self.position.x + 1.5f, self.position.y); }
TESSERA_CALL(Bird, stray, moves<within<1>>) { self.move_to(self.position.x, sqrt(-1.0f)); }
TESSERA_CALL(Bird, climb, moves<within<8>>) { self.move_to(self.position.x, self.position.y - 7); }
TESSERA_CALL(Bird, breed, spawns<Bird>) { self.spawn(Bird{}); }
TESSERA_CALL(Bird, cast, spawns<Bird, within<1>>) { self.spawn(Bird{}, {self.position.x + 1.5f, self.position.y, 0}); }
TESSERA_CALL(Bird, lay, spawns<Bird, within<8>>) { self.spawn(Bird{}, {self.position.x, self.position.y - 7, 0}); }
TESSERA_CALL(Bird, shine, spawns<Star, within<1>, 2>) { self.spawn(Star{}, {self.position.x, self.position.y, 0}), self.spawn(Star{}); }
TESSERA_CALL(Star, fall, moves<within<1>>) { self.move_to({self.position.x, self.position.y + 0.5, 0}); }
TESSERA_CALL(Bird, crowd, spawns<Bird, within<1>>) {
    for (int i = 0; i < 2; ++i) self.spawn(Bird{}, self.position);
}
TESSERA_CALL(Cloud, leap, moves<anywhere>) { self.migrate_to(self.position.x - 7, self.position.y); }

TESSERA_MODEL(sky, "birds in the air");
