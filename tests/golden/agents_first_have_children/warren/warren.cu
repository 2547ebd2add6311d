#include <tessera/model.hpp>

struct Plot { std::uint8_t grass = 1; };
TESSERA_PLACE(Plot, grass);
struct Hare { std::uint8_t age = 0; };
TESSERA_AGENT(Hare, on<Plot>, age);

TESSERA_INIT(Hare, settle, spawns<Hare>) { self.spawn(Hare{}); }

TESSERA_MODEL(warren, "hares that have children before the first step");
