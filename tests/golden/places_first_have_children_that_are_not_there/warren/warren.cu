#include <tessera/model.hpp>

struct Plot { std::uint8_t grass = 1; };
TESSERA_PLACE(Plot, grass);
struct Hare { std::uint8_t age = 0; };
TESSERA_AGENT(Hare, on<Plot>, age);

TESSERA_INIT(Plot, settle, spawns<Hare>) { self.spawn(Hare{}); }
TESSERA_CALL(Plot, grow, writes<&Plot::grass>) { self.grass += 1; }

TESSERA_MODEL(warren, "hares that are there before the first step");
