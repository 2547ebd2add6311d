#include <tessera/model.hpp>

struct Cell { float heat = 0; };
TESSERA_PLACE(Cell, heat);
struct Ant { float sugar = 0; };
TESSERA_AGENT(Ant, on<Cell>, sugar);
TESSERA_GLOBAL(double, total, "sugar of all ants");
TESSERA_GLOBAL(std::int32_t, alive);

TESSERA_CALL(Cell, warm, writes<&Cell::heat>, reads<total>) {
    self.heat += self.get(3);
}

TESSERA_MODEL(value_that_is_none, "a broken model");
TESSERA_DEFAULTS(R"toml(run.steps = 4
places.cell.size = [6, 4]
agents.ant.count = 3
phase = [{ reduce = { total = "sum(ant.sugar)", alive = "count(ant)" } }, { callAll = "cell.warm" }]
)toml");
