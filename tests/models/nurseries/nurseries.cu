// Parents who ask how many of their children were not born, of their own type and of another, and go on meanwhile: for tests of what
// partitions wait for and send each other. Room is scarce.
#include <tessera/model.hpp>

struct Land {
    std::int32_t grass = 0;
};
TESSERA_PLACE(Land, grass);

struct Hare {
    std::int32_t bereft = 0;
};
TESSERA_AGENT(Hare, on<Land>, bereft);

struct Egg {
    std::int32_t age = 0;
};
TESSERA_AGENT(Egg, on<Land>, age);

struct Bird {
    std::uint64_t bereft = 0;
};
TESSERA_AGENT(Bird, on<Land>, bereft);

inline constexpr auto strides = offsets<offset<0, -1>, offset<0, 2>>;
inline constexpr auto litter = offsets<offset<0, -2>, offset<0, 1>>;

template<class Self> void stride(Self& self) {
    const int way = self.random.below(4);
    if (way == 0) self.migrate(0, -1);
    if (way == 1) self.migrate(0, 2);
}

TESSERA_CALL(Hare, live, writes<&Hare::bereft>, reads<refused_births>, moves<strides>, spawns<Hare, litter, 2>, dies) {
    self.bereft = 10 * (self.bereft % 1000) + self.refused_births();
    stride(self);
    const int way = self.random.below(5);
    if (way < 2) self.spawn(Hare{}, offset<0, -2>);
    if (way > 0) self.spawn(Hare{}, offset<0, 1>);
    if (self.random.below(3) == 0) self.kill();
}
TESSERA_CALL(Bird, live, writes<&Bird::bereft>, reads<refused_births>, moves<strides>, spawns<Egg, litter>) {
    self.bereft = 7 * self.bereft + static_cast<std::uint64_t>(self.refused_births());
    stride(self);
    const int where = self.random.below(4);
    if (where == 0) self.spawn(Egg{}, offset<0, -2>);
    if (where == 1) self.spawn(Egg{}, offset<0, 1>);
}
TESSERA_CALL(Egg, hatch, writes<&Egg::age>, dies) {
    self.age += 1;
    if (self.age > 2) self.kill();
}

TESSERA_DEFAULTS(R"toml(run.steps = 6
places.land = {size = [12, 30], boundary = "torus"}
agents.hare = {count = 240, capacity = 1}
agents.bird = {count = 200, capacity = 1}
agents.egg = {count = 100, capacity = 1}
phase = [{callAll = "egg.hatch"}, {callAll = "hare.live"}, {callAll = "bird.live"}, {manageAll = "*"}]
)toml");
TESSERA_MODEL(nurseries, "Parents who are told which children were not born");
