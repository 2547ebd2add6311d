#include <tessera/model.hpp>

TESSERA_PARAM(float, weight, 3.0f, range(0, 1), "kg");

struct Stone {
    float size = 1;
};
TESSERA_PLACE(Stone, size);

TESSERA_CALL(Stone, roll, writes<&Stone::size>) { self.size += 1; }

TESSERA_MODEL(stones, "stones");
