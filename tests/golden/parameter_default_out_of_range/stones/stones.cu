#include <tessera/model.hpp>

TESSERA_PARAM(float, weight, 3.0f, range(0, 1), "kg");

struct Stone {
    float girth = 1;
};
TESSERA_PLACE(Stone, girth);

TESSERA_CALL(Stone, roll, writes<&Stone::girth>) { self.girth += 1; }

TESSERA_MODEL(stones, "stones");
