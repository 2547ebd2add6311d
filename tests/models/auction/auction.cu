// Agents and places with values of a step, and bidding that goes on until nobody is open any more: for tests, which have the same rules as
// plain loops.
#include <tessera/model.hpp>

struct Stall {
    double price = 1;
    std::int32_t visits = 0;
};
TESSERA_PLACE(Stall, price, visits);

struct Bidder {
    double wealth = 10;
    std::int32_t age = 0;
    std::uint8_t tries = 0;
    bool open = false;
};
TESSERA_AGENT(Bidder, on<Stall>, wealth, age, tries, open);

TESSERA_GLOBAL(double, total, "wealth of all");
TESSERA_GLOBAL(std::int32_t, alive);
TESSERA_GLOBAL(double, poorest);
TESSERA_GLOBAL(float, dearest);
TESSERA_GLOBAL(std::uint16_t, open);

TESSERA_CALL(Bidder, enter, writes<&Bidder::wealth, &Bidder::age, &Bidder::tries, &Bidder::open>, reads<&Stall::price>,
             reads<total, alive, poorest>, moves<moore>, dies) {
    self.wealth = self.wealth * 0.75 + self.get(total) / self.get(alive) * 0.25 + self.place.price * self.random.uniform();
    self.age += 1;
    self.tries = 0;
    self.open = self.random.below(4) > 0;
    if (self.age > 3 && self.wealth < self.get(poorest) * 1.2) self.kill();
    const auto dx = self.random.below(3) - 1, dy = self.random.below(3) - 1;
    self.migrate(dx, dy);
}
TESSERA_CALL(Bidder, bid, writes<&Bidder::wealth, &Bidder::tries, &Bidder::open>, reads<open>, moves<east>) {
    if (self.open && self.random.below(3) > 0) self.open = false;
    self.tries += 1;
    self.wealth += self.get(open) * 0.001;
    if (self.open) self.migrate(east);
}
TESSERA_CALL(Stall, follow, around<von_neumann, &Stall::price>, writes<&Stall::price>, counts<here, Bidder>, writes<&Stall::visits>,
             reads<dearest, alive>) {
    self.visits += self.count(here, agents<Bidder>) + self.get(alive) % 3;
    self.price = self.price * 0.5 + self.sum(von_neumann, &Stall::price) * 0.0625 + static_cast<double>(self.get(dearest)) * 0.125;
}

TESSERA_MODEL(auction, "agents that bid until nobody is open");
TESSERA_DEFAULTS(R"toml(run.steps = 20
schedule.exchange = "auto"
places.stall = { size = [30, 40], boundary = "torus" }
agents.bidder = { count = 300, capacity = 2 }

[[phase]]
reduce = { total = "sum(bidder.wealth)", alive = "count(bidder)", poorest = "min(bidder.wealth)" }
[[phase]]
callAll = "bidder.enter"
[[phase]]
manageAll = "bidder"
[[phase]]
reduce = { open = "count(bidder where bidder.open)", dearest = "max(stall.price) + count(bidder) * 0.25" }
[[phase]]
repeat.until = "count(bidder where bidder.open) == 0 or max(bidder.tries) >= 7"
repeat.most = 6
repeat.phases = [{ callAll = "bidder.bid" }, { manageAll = "bidder" }, { callAll = "stall.follow" },
                 { reduce = { open = "count(bidder where bidder.open)" } }]
)toml");
