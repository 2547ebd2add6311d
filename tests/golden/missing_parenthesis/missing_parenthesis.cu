#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);

TESSERA_CALL(Mound, grow, writes<&Mound::food>) {
    for (int i = 0; i < 3; ++i) self.food += 1;
    if (self.food > 1.0f self.food = 2;
}

TESSERA_MODEL(missing_parenthesis, "a broken model");
