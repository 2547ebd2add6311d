#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, warm, writes<&Cell::heat>) { self->heat = 3; }
TESSERA_CALL(Cell, tick, writes<&Cell::heat>) { return self.heat - 1; }

TESSERA_MODEL(slips_of_other_languages, "a broken model");
