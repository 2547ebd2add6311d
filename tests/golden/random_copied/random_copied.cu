#include <tessera/model.hpp>

struct Cell {
    float heat = 0;
    float flow[4] = {};
};
TESSERA_PLACE(Cell, heat, flow);

template<class Random> float noise(Random random) { return random.uniform(); }

TESSERA_CALL(Cell, tick, writes<&Cell::heat>) { self.heat += noise(self.random); }

TESSERA_MODEL(random_copied, "a broken model");
