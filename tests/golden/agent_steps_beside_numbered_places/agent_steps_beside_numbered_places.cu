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

TESSERA_CALL(Car, drive, around<out_links<Road>>, moves<anywhere>) {
    self.migrate(1, 0);
    self.migrate(east);
    if (self.position.x > 3) self.migrate_to(3);
}

TESSERA_MODEL(agent_steps_beside_numbered_places, "a broken model");
TESSERA_DEFAULTS(R"toml(run.steps = 1
places.crossing.count = 10
links.road.generate = { rule = "ring", degree = 2 }
agents.car.count = 3
phase = [{ exchangeAll = "*" }, { callAll = "car.drive" }, { manageAll = "car" }])toml");
