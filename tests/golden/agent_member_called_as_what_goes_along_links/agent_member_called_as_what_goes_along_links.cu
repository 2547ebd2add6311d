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
    std::int32_t pick = 0;
};
TESSERA_AGENT(Car, on<Crossing>, pick);

TESSERA_CALL(Car, drive, around<out_links<Road>>, writes<&Car::pick>) { self.pick += 1; }

TESSERA_MODEL(agent_member_called_as_what_goes_along_links, "a broken model");
