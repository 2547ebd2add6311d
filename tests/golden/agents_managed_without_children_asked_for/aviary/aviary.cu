#include <tessera/model.hpp>

struct Field { float sugar = 0; };
TESSERA_PLACE(Field, sugar);
struct Bird { int lost = 0; };
TESSERA_AGENT(Bird, on<Field>, lost);
struct Egg { int age = 0; };
TESSERA_AGENT(Egg, on<Field>, age);

TESSERA_CALL(Bird, lay, writes<&Bird::lost>, reads<refused_births>, spawns<Egg>) {
    self.lost += self.refused_births();
    self.spawn(Egg{});
}

TESSERA_MODEL(aviary, "birds that are left out");
