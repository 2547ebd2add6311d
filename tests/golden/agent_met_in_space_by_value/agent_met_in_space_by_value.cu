#include <tessera/model.hpp>

struct Air {};
TESSERA_PLACE(Air);
struct Bird { float vx = 0, vy = 0; };
TESSERA_AGENT(Bird, in<Air>, vx, vy);

TESSERA_CALL(Bird, fly, writes<&Bird::vx>, meets<within<5>, &Bird::vx>) {
    self.meet(within<5>, agents<Bird>, [&](auto other) { other.vx = 3; });
}

TESSERA_MODEL(agent_met_in_space_by_value, "a broken model");
