#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_PARAM(float, rate, 0.25f);
TESSERA_PARAM(float, rate, 0.5f);

TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::heat>) {
    self.heat = rate;
}

TESSERA_MODEL(two_parameters_of_one_name, "a broken model");
