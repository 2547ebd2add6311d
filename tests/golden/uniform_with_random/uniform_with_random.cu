#include <tessera/model.hpp>

struct Cell { float heat = 0; };
TESSERA_PLACE(Cell, heat);
TESSERA_GLOBAL(double, total, "heat of all");
TESSERA_UNIFORM(float, chance) {
    return 0.5f * self.random.uniform();
}

TESSERA_CALL(Cell, warm, writes<&Cell::heat>, reads<chance>) { self.heat += self.get(chance); }

TESSERA_MODEL(uniform_with_random, "a broken model");
TESSERA_DEFAULTS("places.cell.size = [6, 4]\nrun.steps = 3\nphase = [{ reduce.total = 'sum(cell.heat)' }, { callAll = 'cell.warm' }]\n");
