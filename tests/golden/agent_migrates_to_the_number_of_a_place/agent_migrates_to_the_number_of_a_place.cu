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

TESSERA_CALL(Car, drive, around<out_links<Road>>, moves<out_links<Road>>) {
    self.each(out_links<Road>, [&](const auto& site) { self.migrate(site.id); });
    self.migrate(3);
}

TESSERA_MODEL(agent_migrates_to_the_number_of_a_place, "a broken model");
