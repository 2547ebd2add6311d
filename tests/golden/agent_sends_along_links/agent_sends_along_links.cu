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

TESSERA_CALL(Car, drive, around<out_links<Road>>, adds<out_links<Road>, &Crossing::cars>) {
    self.send(out_links<Road>, [&](const auto& there) { there.cars += 1; });
}

TESSERA_MODEL(agent_sends_along_links, "a broken model");
