#include <tessera/model.hpp>
struct Cell {
    std::uint8_t small = 0;
    double real = 0;
    std::int16_t list[3] = {};
};
TESSERA_PLACE(Cell, small, real, list);
TESSERA_CALL(Cell, go, writes<&Cell::small>) { self.small += 1; }
TESSERA_MODEL(cells, "columns of all kinds");
