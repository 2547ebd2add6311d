// Values of a step over places of several types, and a repeat that goes on until the grid is at rest: for tests, which have the same rules
// as plain loops.
#include <tessera/model.hpp>

struct Plate {
    double heat = 0, change = 0;
    float load[3] = {1, 2, 3};
    std::int32_t count = 0;
    bool lit = false;
};
TESSERA_PLACE(Plate, heat, change, load, count, lit);

TESSERA_GLOBAL(double, mean, "heat of a plate");
TESSERA_GLOBAL(double, worth);
TESSERA_GLOBAL(float, hottest);
TESSERA_GLOBAL(std::int64_t, lowest);
TESSERA_GLOBAL(std::uint16_t, lights, "how many are lit");
TESSERA_GLOBAL(std::int32_t, odd);

TESSERA_INIT(Plate, draw, writes<&Plate::heat, &Plate::load, &Plate::count, &Plate::lit>) {
    self.heat = self.random.uniform() * 100 - 20;
    self.load[1] = self.random.uniform();
    self.count = self.random.below(200) - 100;
    self.lit = self.random.below(3) == 0;
}

TESSERA_CALL(Plate, heat_up, writes<&Plate::heat, &Plate::count, &Plate::lit>, sets<&Plate::change>, reads<mean, hottest, lights>) {
    const double way = self.get(mean) - self.heat;
    self.heat += way * 0.25 + (self.random.below(16) == 0 ? 10.0 : 0.0);
    self.count += self.get(lights) % 5 - 2;
    self.lit = self.heat * 1.5 > static_cast<double>(self.get(hottest));
    self.change = 100;
}
TESSERA_CALL(Plate, relax, around<von_neumann, &Plate::heat>, writes<&Plate::heat>, sets<&Plate::change>) {
    const double next = self.heat * 0.5 + self.sum(von_neumann, &Plate::heat) * 0.125;
    self.change = next < self.heat ? self.heat - next : next - self.heat;
    self.heat = next;
}
TESSERA_CALL(Plate, pay, writes<&Plate::load, &Plate::count>, reads<worth>, reads<lowest, odd>) {
    self.load[2] = static_cast<float>(self.get(worth)) * 0.0001f + self.load[0];
    self.load[0] = self.load[1] * 0.5f;
    self.count += static_cast<std::int32_t>(self.get(lowest) % 3) + self.get(odd) % 2;
}

TESSERA_MODEL(furnace, "values of a step, and relaxation until the grid is at rest");
TESSERA_DEFAULTS(R"toml(run.steps = 20
schedule.exchange = "auto"
places.plate = { size = [40, 30], boundary = "torus" }

[[phase]]
reduce = { mean = "mean(plate.heat)", hottest = "max(plate.heat)", lights = "count(plate.lit)" }
[[phase]]
callAll = "plate.heat_up"
[[phase]]
repeat.until = "max(plate.change) < 4 or min(plate.heat) > 1000"
repeat.most = 3
repeat.phases = [{ callAll = "plate.relax" },
                 { reduce = { worth = "sum(plate.heat * plate.load[1]) / count(plate.heat > 0.5) + step" } }]
[[phase]]
reduce.lowest = "min(plate.count * plate.count - 7) + 2 * sum(plate.count) - step"
reduce.odd = "count(plate.count % 2 != 0 and not plate.lit) % 1000"
[[phase]]
reduce = { worth = "sum(plate.load[2]) - mean(plate.count) * sum(plate.heat)" }
[[phase]]
callAll = "plate.pay"
)toml");
