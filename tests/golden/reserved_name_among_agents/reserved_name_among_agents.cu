#include <tessera/model.hpp>

struct Field { float sugar = 0, spawn = 0; };
TESSERA_PLACE(Field, sugar, spawn);
struct Ant { float sugar = 0; };
TESSERA_AGENT(Ant, on<Field>, sugar);

TESSERA_CALL(Field, grow, writes<&Field::sugar>) { self.sugar += 1; }

TESSERA_MODEL(reserved_name_among_agents, "a broken model");
