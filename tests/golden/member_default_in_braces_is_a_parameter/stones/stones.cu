#include <tessera/model.hpp>

TESSERA_PARAM(int, weight, 3, range(1, 9), "kg");

struct Stone {
    float girth = 1;
};
TESSERA_PLACE(Stone, girth);
struct Rock {
    float parts[2] = {1, 2};
    int heavy{weight};
};
TESSERA_PLACE(Rock, parts, heavy);

TESSERA_CALL(Stone, roll, writes<&Stone::girth>) { self.girth += 1; }

TESSERA_MODEL(stones, "stones");
