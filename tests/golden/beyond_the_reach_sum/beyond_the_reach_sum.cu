#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<von_neumann, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = self.sum(moore, &Cell::alive);
}

TESSERA_MODEL(beyond_the_reach_sum, "a broken model");
