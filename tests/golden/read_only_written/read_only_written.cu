#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, reads<&Cell::alive>, writes<&Cell::heat>) {
    self.alive = self.heat > 1;
}

TESSERA_MODEL(read_only_written, "a broken model");
