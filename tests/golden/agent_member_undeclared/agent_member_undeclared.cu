#include <tessera/model.hpp>

struct Field { float sugar = 0, capacity = 0; };
TESSERA_PLACE(Field, sugar, capacity);
struct Ant { float sugar = 0; std::uint8_t vision = 1, metabolism = 1; };
TESSERA_AGENT(Ant, on<Field>, sugar, vision, metabolism);
struct Wolf { float hunger = 0; };
TESSERA_AGENT(Wolf, on<Field>, hunger);

TESSERA_CALL(Ant, look, reads<&Ant::vision>, around<lines_of<6>, &Field::sugar>, counts<lines_of<6>, Ant>, moves<lines_of<6>>) {
    if (self.metabolism > 1) self.migrate(east);
}

TESSERA_MODEL(agent_member_undeclared, "a broken model");
