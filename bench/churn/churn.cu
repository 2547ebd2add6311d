// Links that end and begin, 1 % of 16.8 million in each step: what manageAll of links costs (docs/performance.md, "Networks").
#include <tessera/model.hpp>

struct Cell {
    float total = 0;
};
TESSERA_PLACE(Cell, total);
struct Wire {
    float weight = 1;
};
TESSERA_LINK(Wire, from<Cell>::to<Cell>, weight);

TESSERA_PARAM(float, ends, 0.01f, range(0, 1), "how likely a wire ends in a step");
TESSERA_PARAM(float, begins, 0.16f, range(0, 1), "how likely a cell wants a wire in a step");

TESSERA_CALL(Wire, end, dies) {
    if (self.random.bernoulli(ends)) self.kill();
}
TESSERA_CALL(Cell, begin, spawns<Wire>) {
    if (self.random.bernoulli(begins)) self.spawn(Wire{}, self.random.below(static_cast<std::int32_t>(self.size)));
}
TESSERA_CALL(Cell, add, around<in_links<Wire>, &Wire::weight>, writes<&Cell::total>) {
    float sum = 0;
    self.each(in_links<Wire>, [&](const auto& other) { sum += other.link.weight; });
    self.total = sum;
}
TESSERA_MODEL(churn, "wires that end and begin");
TESSERA_DEFAULTS(R"toml(run.steps = 200
places.cell.count = 1048576
links.wire = { generate = { rule = "random", links = 16777216 }, parallel = true, loops = true }
phase = [{ callAll = "wire.end" }, { callAll = "cell.begin" }, { manageAll = "wire" }]
output = [{ every = 50, csv = "wires.csv", columns = { there = "count(wire)", born = "births(wire)", died = "deaths(wire)" } }])toml");
