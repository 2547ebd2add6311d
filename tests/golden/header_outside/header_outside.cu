#include <tessera/model.hpp>
#include "../rules.hpp"

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = 1;
}

TESSERA_MODEL(header_outside, "a broken model");
