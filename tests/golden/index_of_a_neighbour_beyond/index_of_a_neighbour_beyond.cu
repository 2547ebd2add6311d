#include <tessera/model.hpp>

constexpr int directions = 4;
enum Direction { to_west = -1, to_north, to_east };

struct Cell {
    float heat = 0;
    float flow[directions] = {};
};
TESSERA_PLACE(Cell, heat, flow);

TESSERA_CALL(Cell, tick, around<moore, &Cell::flow>, writes<&Cell::heat>) {
    self.each(moore, [&](const auto& other) { self.heat += other.flow[to_east] + other.flow[directions - 1] + other.flow[to_west]; });
}

TESSERA_MODEL(index_of_a_neighbour_beyond, "a broken model");
