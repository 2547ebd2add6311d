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

TESSERA_INIT(Field, settle, reads<&Field::sugar>, spawns<Ant, with_here<moore>>) {
    if (self.sugar > 0) self.spawn(Ant{}, north);
}

TESSERA_MODEL(place_spawns_children_elsewhere, "a broken model");
