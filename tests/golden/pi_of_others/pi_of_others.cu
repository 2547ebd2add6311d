#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);

TESSERA_CALL(Mound, grow, writes<&Mound::food>) {
    self.food = sin(M_PI * self.food);
    self.food = sin(M_PI_2 * self.food);
    self.food = sin(std::numbers::pi * self.food);
}

TESSERA_MODEL(pi_of_others, "a broken model");
