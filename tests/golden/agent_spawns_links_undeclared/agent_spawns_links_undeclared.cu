#include <tessera/model.hpp>

struct Crossing {};
TESSERA_PLACE(Crossing);
struct Road {
    std::uint16_t length = 1;
};
TESSERA_LINK(Road, from<Crossing>::to<Crossing>, length);
struct Path {};
TESSERA_LINK(Path, between<Crossing>);
struct Car {
    std::int32_t trips = 0;
};
TESSERA_AGENT(Car, on<Crossing>, trips);

TESSERA_CALL(Car, pave, spawns<Path>) {
    self.spawn(Road{.length = 3}, self.place.id, 1);
    self.spawn(Path{}, 1);
    self.spawn(Path{}, self.place.id, 1);
}
TESSERA_CALL(Car, dig, writes<&Car::trips>) {
    self.spawn(Path{}, 1, 2);
    self.spawn(Path{});
}

TESSERA_MODEL(agent_spawns_links_undeclared, "a broken model");
