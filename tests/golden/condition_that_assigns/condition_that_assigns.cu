#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
};
TESSERA_PLACE(Cell, heat);

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) {
    if (self.heat = 5) self.heat = 1;
}

TESSERA_MODEL(condition_that_assigns, "a doubtful model");
TESSERA_DEFAULTS("places.cell.size = [16, 16]\nrun.steps = 1");
