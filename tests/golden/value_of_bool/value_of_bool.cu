#include <tessera/model.hpp>

struct Cell { float heat = 0; };
TESSERA_PLACE(Cell, heat);
struct Ant { float sugar = 0; };
TESSERA_AGENT(Ant, on<Cell>, sugar);
TESSERA_GLOBAL(double, total, "sugar of all ants");
TESSERA_GLOBAL(std::int32_t, alive);

TESSERA_GLOBAL(bool, ready);
TESSERA_CALL(Cell, warm, writes<&Cell::heat>, reads<ready>) {
    if (self.get(ready)) self.heat += 1;
}

TESSERA_MODEL(value_of_bool, "a broken model");
