#include <tessera/model.hpp>

struct Field { float warmth = 0; };
TESSERA_PLACE(Field, warmth);

TESSERA_GLOBAL(float, warmest, 20, "the highest warmth");

TESSERA_CALL(Field, cool, writes<&Field::warmth>, reads<warmest>) { self.warmth -= 0.1f * self.get(warmest); }

TESSERA_MODEL(global_has_an_initial_value, "a broken model");
