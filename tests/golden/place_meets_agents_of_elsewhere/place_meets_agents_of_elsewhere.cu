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

struct Sea { float depth = 0; };
TESSERA_PLACE(Sea, depth);
struct Cod { float weight = 0; };
TESSERA_AGENT(Cod, on<Sea>, weight);

TESSERA_CALL(Field, look, writes<&Field::sugar>, meets<here, &Cod::weight>) {
    self.meet(here, agents<Cod>, [&](const auto& cod) { self.sugar += cod.weight; });
}

TESSERA_MODEL(place_meets_agents_of_elsewhere, "a broken model");
