#include <tessera/model.hpp>

TESSERA_PARAM(std::uint8_t, weight, 300, "kg");

struct Stone {
    float girth = 1;
};
TESSERA_PLACE(Stone, girth);

TESSERA_CALL(Stone, roll, writes<&Stone::girth>) { self.girth += 1; }

TESSERA_MODEL(stones, "stones");
