#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);

TESSERA_CALL(Mound, grow, writes<&Mound::food>) { self.food = (1 + self.food)); }

TESSERA_MODEL(parenthesis_too_many, "a broken model");
