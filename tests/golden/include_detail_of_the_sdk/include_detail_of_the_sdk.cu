#include <tessera/model.hpp>
#include <tessera/detail/philox.hpp>

struct Cell {
    float heat = 0;
};
TESSERA_PLACE(Cell, heat);

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) { self.heat += 1; }

TESSERA_MODEL(include_detail_of_the_sdk, "a broken model");
