// A rumour in a town: people tell it over the fence, and to friends whom they call. The houses stand on a grid, and telephones join any two
// of them: a small world in two dimensions (Watts and Strogatz, Nature 393, 440 (1998)). Without telephones it takes as many days to the
// edge as there are houses on the way; a few hundred among
// 40 000 houses bring it everywhere in a quarter of that.
#include <tessera/model.hpp>

struct House {
    std::uint8_t rumour = 0;
    std::int32_t heard = -1;
};
TESSERA_PLACE(House, rumour, heard);
TESSERA_VALUES(House::rumour, unaware, knows);
TESSERA_DOC(House::heard, "the day after which it was known here; -1: it is not");
struct Telephone {};
TESSERA_LINK(Telephone, between<House>);
TESSERA_PARAM(float, over_the_fence, 1.0f, range(0, 1), "probability that one of those who know tells a neighbour on a day");
TESSERA_PARAM(float, by_telephone, 1.0f, range(0, 1), "likewise a friend with a telephone");

// In the middle of the town.
TESSERA_INIT(House, begin, sets<&House::rumour, &House::heard>) {
    if (self.position.x != self.size.x / 2 || self.position.y != self.size.y / 2) return;
    self.rumour = 1;
    self.heard = 0;
}
TESSERA_CALL(House, listen, around<von_neumann, &House::rumour>, around<links<Telephone>, &House::rumour>,
             writes<&House::rumour, &House::heard>) {
    if (self.rumour != 0) return;
    bool told = false;
    self.each(von_neumann, [&](const auto& other) {
        if (other.rumour != 0) told |= self.random.bernoulli(over_the_fence);
    });
    self.each(links<Telephone>, [&](const auto& other) {
        if (other.rumour != 0) told |= self.random.bernoulli(by_telephone);
    });
    if (!told) return;
    self.rumour = 1;
    self.heard = static_cast<std::int32_t>(self.step) + 1;
}

TESSERA_MODEL(town, "a rumour among neighbours, and among friends with telephones");
TESSERA_DEFAULTS(R"toml(run = { steps = 1000, stop = "count(house.rumour == 0) == 0" }
places.house = { size = [200, 200], boundary = "open" }
links.telephone.generate = { rule = "random", links = 400 }
phase = [{ exchangeAll = "house" }, { callAll = "house.listen" }]
)toml");
