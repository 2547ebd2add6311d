#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
};
TESSERA_PLACE(Cell, heat);

[[gnu::optimize("Ofast")]] float half(float x) {
    return x / 2;
}

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) {
    self.heat = half(self.heat);
}

TESSERA_MODEL(attribute_of_a_compiler, "a broken model");
