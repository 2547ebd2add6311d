#include <tessera/model.hpp>

TESSERA_PARAM(std::uint8_t, weight, 300, "kg");

struct Stone {
    float size = 1;
};
TESSERA_PLACE(Stone, size);

TESSERA_CALL(Stone, roll, writes<&Stone::size>) { self.size += 1; }

TESSERA_MODEL(stones, "stones");
