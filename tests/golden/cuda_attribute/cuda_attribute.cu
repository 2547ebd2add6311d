#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

__device__ float doubled(float x) { return 2 * x; }

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = doubled(self.heat);
}

TESSERA_MODEL(cuda_attribute, "a broken model");
