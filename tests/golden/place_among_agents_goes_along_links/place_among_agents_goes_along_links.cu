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

TESSERA_CALL(Crossing, look, around<out_links<Road>>, counts<here, Car>, writes<&Crossing::cars>) {
    self.cars = self.count(here, agents<Car>) + self.count(out_links<Road>);
}

TESSERA_MODEL(place_among_agents_goes_along_links, "a broken model");
