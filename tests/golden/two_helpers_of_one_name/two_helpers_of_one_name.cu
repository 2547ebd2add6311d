#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

inline float twice(float x) { return 2 * x; }
inline float twice(float y) { return y + y; }

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = twice(self.heat);
}

TESSERA_MODEL(two_helpers_of_one_name, "a broken model");
