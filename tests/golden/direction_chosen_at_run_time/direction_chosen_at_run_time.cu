#include <tessera/model.hpp>

struct Mound { float food = 0; };
TESSERA_PLACE(Mound, food);

TESSERA_CALL(Mound, grow, around<moore, &Mound::food>, writes<&Mound::food>) {
    self.food = self.at(self.food > 1 ? east : west).food;
}
TESSERA_CALL(Mound, choose, around<moore, &Mound::food>, writes<&Mound::food>) {
    const auto way = self.food > 1 ? east : west;
    self.food = self.at(way).food;
}

TESSERA_MODEL(direction_chosen_at_run_time, "a broken model");
