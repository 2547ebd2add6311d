#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);
TESSERA_PARAM(float, Mound, 0.5f);

TESSERA_CALL(Mound, grow, writes<&Mound::food>) { self.food += 1; }

TESSERA_MODEL(parameter_named_as_a_row, "a broken model");
