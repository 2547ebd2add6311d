#include <tessera/model.hpp>
#include "rules.hpp"

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = twice(self.heat);
}

TESSERA_MODEL(missing_header_brace, "a broken model");
