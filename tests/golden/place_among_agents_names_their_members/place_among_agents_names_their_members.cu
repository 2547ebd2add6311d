#include <tessera/model.hpp>

struct Field {
    float sugar = 0;
    std::int32_t visits = 0;
    bool marked = false;
    std::int32_t tracks[2] = {};
};
TESSERA_PLACE(Field, sugar, visits, marked, tracks);
struct Ant { float sugar = 0; std::uint8_t age = 0; };
TESSERA_AGENT(Ant, on<Field>, sugar, age);
struct Wolf { float hunger = 0, rage = 0; };
TESSERA_AGENT(Wolf, on<Field>, hunger, rage);

TESSERA_CALL(Field, look, writes<&Field::sugar>, reads<&Ant::age>, counts<here, Ant>) {
    self.sugar += self.count(here, agents<Ant>);
}

TESSERA_MODEL(place_among_agents_names_their_members, "a broken model");
