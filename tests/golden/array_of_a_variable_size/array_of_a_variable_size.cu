#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);

TESSERA_CALL(Mound, grow, writes<&Mound::food>) {
    int n = to_int<int>(self.food) + 1;
    float q[n];
    q[0] = 1;
    self.food = q[0];
}

TESSERA_MODEL(array_of_a_variable_size, "a broken model");
