#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);

TESSERA_CALL(Mound, grow, writes<&Mound::food> {
    self.food = 2;
}

TESSERA_MODEL(missing_parenthesis_of_a_call, "a broken model");
