#include <tessera/model.hpp>

struct House {
    std::int32_t guests = 0;
};
TESSERA_PLACE(House, guests);
struct Firm {
    std::int32_t staff = 0;
};
TESSERA_PLACE(Firm, staff);
struct Job {};
TESSERA_LINK(Job, from<House>::to<Firm>);
struct Person {
    std::int32_t days = 0;
};
TESSERA_AGENT(Person, on<House>, days);

TESSERA_CALL(Person, commute, around<out_links<Job>, &Firm::staff>, moves<out_links<Job>>) {
    self.pick(out_links<Job>, [&](const auto& site) { self.migrate(site); });
}
TESSERA_CALL(Person, look, around<in_links<Job>>) {}

TESSERA_MODEL(agent_goes_where_it_cannot_stand, "a broken model");
