#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat);

TESSERA_CALL(Cell, tick, writes<&Cell::alive>) {
    self.alive = 1;
}

TESSERA_MODEL(member_not_listed, "a broken model");
