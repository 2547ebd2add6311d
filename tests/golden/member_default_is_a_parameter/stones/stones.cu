#include <tessera/model.hpp>

TESSERA_PARAM(float, weight, 3.0f, range(1, 9), "kg");

struct Stone {
    float size = 1;
};
TESSERA_PLACE(Stone, size);
struct Rock {
    float half = weight / 2;
};
TESSERA_PLACE(Rock, half);

TESSERA_CALL(Stone, roll, writes<&Stone::size>) { self.size += 1; }

TESSERA_MODEL(stones, "stones");
