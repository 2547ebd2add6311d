// Cars in the streets of a town. Who is at a crossing looks for a road on which there is room, some of the drivers for the emptiest, the
// others for any. That takes a step, after which the car is on the road for as many steps as the road is long. In front of a crossing there
// is room for a few cars, whatever road they are on.
// More cars make more trips, until they stand in each other's way: then more cars make fewer, and at last none at all.
#include <tessera/model.hpp>

struct Crossing {
    std::uint32_t waits = 0;
};
TESSERA_PLACE(Crossing, waits);
TESSERA_DOC(Crossing::waits, "how often a car has found no room on the roads that it looked at");
struct Road {
    std::uint16_t length = 1;
};
TESSERA_LINK(Road, from<Crossing>::to<Crossing>, length);
TESSERA_DOC(Road::length, "how many steps a car is on it, after the step in which the car takes it");
struct Car {
    std::uint16_t left = 0;
    std::uint32_t trips = 0;
};
TESSERA_AGENT(Car, on<Crossing>, left, trips);
TESSERA_DOC(Car::left, "steps to the crossing in front of it");
TESSERA_DOC(Car::trips, "roads that it has taken");

TESSERA_PARAM(float, looking, 0.5f, range(0, 1), "probability that a driver looks at all roads, and takes the emptiest");

TESSERA_CALL(Car, drive, reads<moved>, reads<refused>, around<out_links<Road>, &Road::length>, counts<out_links<Road>, Car>,
             moves<out_links<Road>>, writes<&Car::left, &Car::trips>, adds<&Crossing::waits>) {
    if (self.moved()) self.trips += 1;
    if (self.refused()) self.left = 0; // somebody else has taken the last room
    if (self.left > 0) {
        self.left -= 1;
        return;
    }
    int room = 0;
    const auto take = [&](const auto& site) {
        if (site.free() <= room) return;
        room = site.free();
        self.left = site.link.length;
        self.migrate(site);
    };
    if (self.random.bernoulli(looking))
        self.each(out_links<Road>, take);
    else
        self.pick(out_links<Road>, take);
    if (room == 0) self.place.waits += 1;
}

TESSERA_MODEL(traffic, "cars that get into each other's way");
TESSERA_DEFAULTS(R"toml(run.steps = 500
places.crossing.count = 600
links.road = { generate = { rule = "grid", size = [30, 20] }, init.length = { random = "below", n = 4, plus = 1 } }
agents.car = { count = 1200, capacity = 4 }
phase = [{ exchangeAll = "*" }, { callAll = "car.drive" }, { manageAll = "car" }]
output = [{ every = 50, csv = "traffic.csv", columns = { driving = "count(car.left > 0)", trips = "sum(car.trips)", waits = "sum(crossing.waits)" } }]
)toml");
