#include <tessera/model.hpp>

struct Plot { std::uint8_t grass = 1; };
TESSERA_PLACE(Plot, grass);
struct Hare { std::uint8_t age = 0; };
TESSERA_AGENT(Hare, on<Plot>, age);

TESSERA_CALL(Hare, strip, around<moore, &Plot::grass>, writes<&Plot::grass>) { self.place.grass = 0; }

TESSERA_MODEL(pasture, "hares that look at what they eat");
