#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESERA_CALL(Cell, tick, writes<&Cell::heat>) { self.heat = 3; }
TESSERA_INITIALISE(Cell, begin, sets<&Cell::heat>) { self.heat = 3; }
TESSERA_RULE(Cell, end, sets<&Cell::heat>) { self.heat = 3; }

TESSERA_MODEL(macro_misspelt, "a broken model");
