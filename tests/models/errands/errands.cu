// Agents that do whatever agents can along links: two types of links between places that have numbers alone, or stand in a grid.
#include <tessera/model.hpp>

struct Spot {
    std::int32_t seen = 0;
    std::int32_t guests = 0;
};
TESSERA_PLACE(Spot, seen, guests);
struct Path {
    std::int16_t toll = 3;
};
TESSERA_LINK(Path, between<Spot>, toll);
struct Lift {
    std::int8_t up[2] = {1, 2};
};
TESSERA_LINK(Lift, from<Spot>::to<Spot>, up);
struct Runner {
    std::int32_t purse = 5, crowd = 0, trips = 0;
    std::int64_t heard = 0;
};
TESSERA_AGENT(Runner, on<Spot>, purse, crowd, trips, heard);

TESSERA_PARAM(int, settlers, 0, range(0, 100), "on one of so many spots somebody starts; on none, if 0");

TESSERA_INIT(Spot, settle, sets<&Spot::guests>, spawns<Runner>) {
    self.guests = 1;
    if (settlers > 0 && self.random.below(settlers) == 0) self.spawn(Runner{.purse = 7});
}

TESSERA_CALL(Runner, run, reads<moved>, reads<&Spot::guests>, around<links<Path>, &Spot::seen, &Path::toll>,
             around<out_links<Lift>, &Lift::up>, counts<links<Path>, Runner>, counts<here, Runner>, meets<out_links<Lift>, &Runner::purse>,
             moves<links<Path>>, moves<out_links<Lift>>, spawns<Runner>, dies, adds<&Spot::seen>,
             writes<&Runner::purse, &Runner::crowd, &Runner::trips>, sets<&Runner::heard>) {
    if (self.moved()) self.trips += 1;
    self.crowd = self.count(links<Path>, agents<Runner>) + 100 * self.count(here, agents<Runner>) + 10000 * self.count(links<Path>);
    self.heard = self.place.guests;
    self.meet(out_links<Lift>, agents<Runner>, [&](const auto& other) { self.heard = self.heard * 3 + other.purse; });
    self.purse += self.sum(links<Path>, &Spot::seen) % 7 + self.least(links<Path>, 9, [](const auto& site) { return site.link.toll; });
    self.place.seen += 1 + static_cast<std::int32_t>(self.place.id % 3);
    if (self.random.below(3) == 0) {
        self.pick(out_links<Lift>, [&](const auto& site) {
            self.purse -= site.link.up[1];
            self.migrate(site);
        });
    } else {
        int fewest = self.random.below(3);
        self.each(links<Path>, [&](const auto& site) {
            if (site.free() == 0 || site.count(agents<Runner>) > fewest) return;
            fewest = site.count(agents<Runner>);
            self.migrate(site);
        });
    }
    if (self.purse % 17 == 0) self.spawn(Runner{.purse = self.purse / 17, .trips = 1});
    if (self.purse % 19 == 0) self.kill();
}

TESSERA_CALL(Spot, rest, counts<here, Runner>, writes<&Spot::seen, &Spot::guests>) {
    self.seen /= 2;
    self.guests = self.count(here, agents<Runner>);
}

TESSERA_MODEL(errands, "runners along paths and lifts");
TESSERA_DEFAULTS(R"toml(run.steps = 50
schedule.exchange = "auto"
places.spot.count = 1100
links.path.generate = { rule = "random", links = 3000 }
links.lift.generate = { rule = "regular", degree = 2 }
agents.runner = { count = 500, capacity = 2 }
phase = [{ callAll = "runner.run" }, { manageAll = "runner" }, { callAll = "spot.rest" }]
)toml");
