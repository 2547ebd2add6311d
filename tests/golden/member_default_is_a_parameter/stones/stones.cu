#include <tessera/model.hpp>

TESSERA_PARAM(float, weight, 3.0f, range(1, 9), "kg");

struct Stone {
    float girth = 1;
};
TESSERA_PLACE(Stone, girth);
struct Rock {
    float half = weight / 2;
};
TESSERA_PLACE(Rock, half);

TESSERA_CALL(Stone, roll, writes<&Stone::girth>) { self.girth += 1; }

TESSERA_MODEL(stones, "stones");
