#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);
TESSERA_PARAM(float, least, 0.5f, 0, 1);

TESSERA_CALL(Mound, grow, writes<&Mound::food>) { self.food = least; }

TESSERA_MODEL(parameter_without_a_range, "a broken model");
