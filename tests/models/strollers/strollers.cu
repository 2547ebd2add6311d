// Walkers on a network, each step along one of the paths from where they stand.
#include <tessera/model.hpp>

struct Spot {};
TESSERA_PLACE(Spot);
struct Path {};
TESSERA_LINK(Path, between<Spot>);
struct Stroller {};
TESSERA_AGENT(Stroller, on<Spot>);

TESSERA_CALL(Stroller, stroll, moves<links<Path>>) {
    self.pick(links<Path>, [&](const auto& site) { self.migrate(site); });
}

TESSERA_MODEL(strollers, "random walkers on a network");
TESSERA_DEFAULTS(R"toml(run.steps = 100
places.spot.count = 200
links.path.generate = { rule = "small_world", degree = 6, rewire = 0.3 }
agents.stroller = { count = 20000, capacity = "unlimited" }
phase = [{ exchangeAll = "*" }, { callAll = "stroller.stroll" }, { manageAll = "stroller" }]
)toml");
