// Depots that are numbered and houses on a grid: all that functions send along links, at once and later, from several phases of a step.
#include <tessera/model.hpp>

struct Depot {
    std::int32_t load = 0;
    float parcel = 0;
    std::uint64_t returned = 0;
};
TESSERA_PLACE(Depot, load, parcel, returned);
struct House {
    std::int32_t letters = 0;
    float weight = 0;
    double worth = 0;
    std::int16_t nearest = 30000;
    float best = -0.0f;
    bool rung = false;
    std::int64_t seen = 0;
    float beside = 0;
};
TESSERA_PLACE(House, letters, weight, worth, nearest, best, rung, seen, beside);
struct Route {
    float share = 0.5f;
    std::uint8_t days = 0;
};
TESSERA_LINK(Route, from<Depot>::to<House>, share, days);
struct Fence {};
TESSERA_LINK(Fence, between<House>);

TESSERA_CALL(Depot, fill, sets<&Depot::load, &Depot::parcel>) {
    const std::int64_t turn = self.id * 5 + self.step, bits = (self.id * 40503 + self.step * 9973) % 65536;
    self.load = static_cast<std::int32_t>((self.id * 7 + self.step * 13) % 200);
    self.parcel = 1 + static_cast<float>(bits) / 65536;
    for (std::int64_t i = 0; i < turn % 5; ++i) self.parcel *= 1 << 12;
    self.parcel /= 1 << 30;
    if (turn % 3 == 0) self.parcel = -self.parcel;
}
TESSERA_CALL(Depot, dispatch, reads<&Depot::load, &Depot::parcel>, around<out_links<Route>, &Route::share, &Route::days, &House::seen>,
             adds<out_links<Route>, &House::letters, &House::weight, &House::worth>, least<out_links<Route>, &House::nearest>,
             most<out_links<Route>, &House::best, &House::rung>) {
    if ((self.id + self.step) % 3 == 0) return;
    self.send(out_links<Route>, [&](const auto& there) {
        there.letters += self.load + static_cast<std::int32_t>(there.seen % 7);
        there.letters.after(2) -= 1;
        there.weight.after(there.link.days) += self.parcel * there.link.share;
        there.worth += self.load * 0.1;
        there.nearest.lower_to(static_cast<std::int16_t>(there.id - self.id - self.step));
        there.best.raise_to(self.parcel);
        if (self.load == 150) there.rung.raise_to(true);
    });
}
// The second of a step that sends to the same member; and what was sent before is there.
TESSERA_CALL(House, gossip, reads<&House::letters>, adds<links<Fence>, &House::weight>) {
    self.send(links<Fence>, [&](const auto& there) { there.weight += 0.1f * static_cast<float>(self.letters); });
}
TESSERA_CALL(House, reply, reads<&House::letters>, adds<in_links<Route>, &Depot::returned>) {
    self.send(in_links<Route>,
              [&](const auto& there) { there.returned.after(1) += static_cast<std::uint64_t>(self.letters * self.letters); });
}
TESSERA_CALL(House, look, around<von_neumann, &House::weight>, reads<&House::letters>, writes<&House::seen>, sets<&House::beside>) {
    self.seen += self.letters;
    self.beside = self.sum(von_neumann, &House::weight);
}
TESSERA_MODEL(couriers, "what is sent along links");
TESSERA_DEFAULTS(R"toml(run.steps = 8
places.depot.count = 300
places.house.size = [12, 9]
links.route = { generate = { rule = "random", links = 2000 }, delays = 6, init.days = { random = "below", n = 6 } }
links.fence = { generate = { rule = "random", links = 150 } }
schedule.exchange = "auto"
phase = [{ callAll = "depot.fill" }, { callAll = "depot.dispatch" }, { callAll = "house.gossip" }, { callAll = "house.reply", every = 3 },
         { callAll = "house.look" }])toml");
