#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);
TESSERA_PARAM(float, min, 0.5f, range(0, 1), "the least");

TESSERA_CALL(Mound, grow, writes<&Mound::food>) { self.food = min; }

TESSERA_MODEL(parameter_named_as_a_function, "a broken model");
