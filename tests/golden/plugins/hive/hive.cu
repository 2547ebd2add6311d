#include <tessera/model.hpp>

struct Cell {
    float honey = 1;
    std::int32_t visits = 3;
    std::uint64_t marks[2] = {0, 18446744073709551615u};
};
TESSERA_PLACE(Cell, honey, visits, marks);

struct Bee {
    float load = 2;
    std::int32_t age = 1;
    bool tired = false;
};
TESSERA_AGENT(Bee, on<Cell>, load, age, tired);

TESSERA_GLOBAL(double, total, "honey of all cells");
TESSERA_GLOBAL(std::int8_t, alive);

TESSERA_CALL(Cell, drip, writes<&Cell::honey>, reads<total>) { self.honey += static_cast<float>(self.get(total)); }
TESSERA_CALL(Bee, work, writes<&Bee::load>, reads<alive>) { self.load += self.get(alive); }
TESSERA_CALL(Bee, wander, moves<east>) { self.migrate(east); }

TESSERA_MODEL(hive, "bees, and what they know of all");
