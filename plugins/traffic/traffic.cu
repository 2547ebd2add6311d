// Cars on the roads of a town. A crossing has room for a few cars, those on the roads that lead to it included. Who is ready looks for a
// road on which there is room: some of the drivers for the emptiest, the others anywhere. The more cars there are, the more trips are
// made, until they stand in each other's way; then more cars make fewer trips, and in the end none.
#include <tessera/model.hpp>

struct Crossing {
    std::uint32_t waits = 0;
};
TESSERA_PLACE(Crossing, waits);
TESSERA_DOC(Crossing::waits, "in how many steps cars have waited here");
struct Road {
    std::uint16_t length = 1;
};
TESSERA_LINK(Road, from<Crossing>::to<Crossing>, length);
TESSERA_DOC(Road::length, "how many steps a car takes");
struct Car {
    std::uint16_t left  = 0;
    std::uint32_t trips = 0;
};
TESSERA_AGENT(Car, on<Crossing>, left, trips);
TESSERA_DOC(Car::left, "steps to the crossing in front of it");
TESSERA_DOC(Car::trips, "roads that it has entered");

TESSERA_PARAM(float, looking, 0.5f, range(0, 1), "share of drivers who look for the emptiest road");

TESSERA_CALL(Car, enter, reads<&Car::left>, around<out_links<Road>>, counts<out_links<Road>, Car>, moves<out_links<Road>>,
             adds<&Crossing::waits>) {
    if (self.left > 0) return;
    int room = 0;
    const auto go = [&](const auto& site) {
        if (site.free() <= room) return;
        room = site.free();
        self.migrate(site);
    };
    if (self.random.bernoulli(looking))
        self.each(out_links<Road>, go);
    else
        self.pick(out_links<Road>, go);
    if (room == 0) self.place.waits += 1;
}
