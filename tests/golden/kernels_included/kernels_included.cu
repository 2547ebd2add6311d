#include <tessera/kernels/launch/grid.hpp>
#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
};
TESSERA_PLACE(Cell, heat);

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) {
    self.heat = 1;
}

TESSERA_MODEL(kernels_included, "a broken model");
