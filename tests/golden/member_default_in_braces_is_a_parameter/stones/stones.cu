#include <tessera/model.hpp>

TESSERA_PARAM(int, weight, 3, range(1, 9), "kg");

struct Stone {
    float size = 1;
};
TESSERA_PLACE(Stone, size);
struct Rock {
    float parts[2] = {1, 2};
    int heavy{weight};
};
TESSERA_PLACE(Rock, parts, heavy);

TESSERA_CALL(Stone, roll, writes<&Stone::size>) { self.size += 1; }

TESSERA_MODEL(stones, "stones");
