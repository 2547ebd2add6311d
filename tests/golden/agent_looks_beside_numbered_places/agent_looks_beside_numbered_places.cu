#include <tessera/model.hpp>

struct Crossing {
    std::int32_t cars = 0;
};
TESSERA_PLACE(Crossing, cars);
struct Road {
    std::uint16_t length = 1;
};
TESSERA_LINK(Road, from<Crossing>::to<Crossing>, length);
struct Car {
    std::int32_t trips = 0;
};
TESSERA_AGENT(Car, on<Crossing>, trips);

TESSERA_CALL(Car, drive, around<out_links<Road>>, counts<moore, Car>, moves<out_links<Road>>) {
    self.pick(out_links<Road>, [&](const auto& site) {
        if (self.count(moore, agents<Car>) == 0) self.migrate(site);
    });
}

TESSERA_MODEL(agent_looks_beside_numbered_places, "a broken model");
TESSERA_DEFAULTS(R"toml(run.steps = 1
places.crossing.count = 10
links.road.generate = { rule = "ring", degree = 2 }
agents.car.count = 3
phase = [{ exchangeAll = "*" }, { callAll = "car.drive" }, { manageAll = "car" }])toml");
