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

TESSERA_CALL(Car, drive, around<out_links<Road>>, counts<out_links<Road>, Car>, moves<out_links<Road>>, writes<&Car::trips>) {
    self.trips += self.count(in_links<Road>);
    self.trips += self.count(in_links<Road>, agents<Car>);
    self.meet(out_links<Road>, agents<Car>, [&](const auto&) { self.trips += 1; });
}

TESSERA_MODEL(agent_looks_along_undeclared_links, "a broken model");
