#include <tessera/model.hpp>

struct Cell { float heat = 0; };
TESSERA_PLACE(Cell, heat);
TESSERA_GLOBAL(double, total, "heat of all");
TESSERA_UNIFORM(float, chance, reads<risk>) { return 0.5f * self.get(risk); }
TESSERA_UNIFORM(float, risk, reads<chance>) { return 0.5f * self.get(chance); }

TESSERA_CALL(Cell, warm, writes<&Cell::heat>, reads<chance>) { self.heat += self.get(chance); }

TESSERA_MODEL(uniform_in_a_circle, "a broken model");
TESSERA_DEFAULTS("places.cell.size = [6, 4]\nrun.steps = 3\nphase = [{ reduce.total = 'sum(cell.heat)' }, { callAll = 'cell.warm' }]\n");
