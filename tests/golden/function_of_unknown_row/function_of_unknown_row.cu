#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Sell, tick, writes<&Cell::heat>) {
    self.heat = 1;
}

TESSERA_MODEL(function_of_unknown_row, "a broken model");
