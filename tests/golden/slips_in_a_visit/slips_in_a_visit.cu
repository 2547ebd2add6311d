#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    std::uint8_t alive = 0;
};
TESSERA_PLACE(Cell, heat, alive);

TESSERA_CALL(Cell, tick, around<moore, &Cell::heat>, writes<&Cell::heat>) {
    float sum = 0;
    self.each(moore, [](const auto& other) { sum += other.heat; });
    self.heat = sum;
}
TESSERA_CALL(Cell, warm, around<moore, &Cell::heat>, writes<&Cell::heat>) {
    self.each(moore, [&](const auto& other) {
        if (other.heat > 1) break;
    });
}
TESSERA_CALL(Cell, cool, writes<&Cell::heat>) { this->heat = 3; }

TESSERA_MODEL(slips_in_a_visit, "a broken model");
