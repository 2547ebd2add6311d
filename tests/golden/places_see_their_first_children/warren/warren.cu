#include <tessera/model.hpp>

struct Plot { std::uint8_t grass = 1; };
TESSERA_PLACE(Plot, grass);
struct Hare { std::uint8_t age = 0; };
TESSERA_AGENT(Hare, on<Plot>, age);

TESSERA_INIT(Plot, settle, counts<moore, Hare>, spawns<Hare>) {
    if (self.count(moore, agents<Hare>) == 0) self.spawn(Hare{});
}

TESSERA_MODEL(warren, "hares that settle where no other is near");
