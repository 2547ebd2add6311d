#include <tessera/model.hpp>

struct Cell { float heat = 0; };
TESSERA_PLACE(Cell, heat);
TESSERA_GLOBAL(double, total, "heat of all");
TESSERA_UNIFORM(float[65], chance) { return 0.5f * self.index; }

TESSERA_CALL(Cell, warm, writes<&Cell::heat>, reads<chance>) { self.heat += self.get(chance)[3]; }

TESSERA_MODEL(uniform_too_large, "a broken model");
TESSERA_DEFAULTS("places.cell.size = [6, 4]\nrun.steps = 3\nphase = [{ reduce.total = 'sum(cell.heat)' }, { callAll = 'cell.warm' }]\n");
