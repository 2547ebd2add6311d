// Agents whose reach over the rows of a grid is another one upward than downward, and is not the same for any two things that they do: for
// tests of what partitions wait for. There are so many of them that hardly a row goes by without rivals at the ends of each reach.
#include <tessera/model.hpp>

struct Land {
    std::int32_t grass = 0;
    float scent = 0;
};
TESSERA_PLACE(Land, grass, scent);

struct Hare {
    std::uint64_t seen = 1;
};
TESSERA_AGENT(Hare, on<Land>, seen);

struct Fox {
    std::int32_t hunger = 0;
};
TESSERA_AGENT(Fox, on<Land>, hunger);

struct Owl {
    std::int32_t age = 0;
};
TESSERA_AGENT(Owl, on<Land>, age);

struct Toad {
    std::int32_t age = 0;
};
TESSERA_AGENT(Toad, on<Land>, age);

struct Mole {
    std::int32_t age = 0;
};
TESSERA_AGENT(Mole, on<Land>, age);

inline constexpr auto strides = offsets<offset<0, -1>, offset<0, 2>>;
inline constexpr auto litter = offsets<offset<0, -2>, offset<0, 3>>;
inline constexpr auto sight = offsets<offset<0, -2>, offset<0, 3>>;

TESSERA_CALL(Land, grow, writes<&Land::grass>) { self.grass += self.random.below(5); }

// Foxes are met who are dying, and those who are to leave.
TESSERA_CALL(Fox, go, moves<strides>, dies) {
    const auto way = self.random.below(8);
    if (way < 2)
        self.kill();
    else if (way < 5)
        self.migrate(0, -1);
    else
        self.migrate(0, 2);
}
TESSERA_CALL(Fox, breed, spawns<Fox, litter>) {
    const auto way = self.random.below(4);
    if (way == 0) self.spawn(Fox{.hunger = 100}, offset<0, -2>);
    if (way == 1) self.spawn(Fox{.hunger = 200}, offset<0, 3>);
}
TESSERA_CALL(Fox, tire, writes<&Fox::hunger>) { self.hunger += self.random.below(7); }

TESSERA_CALL(Hare, see, writes<&Hare::seen>, meets<sight, &Fox::hunger>) {
    self.meet(sight, agents<Fox>, [&](const auto& fox) { self.seen = self.seen * 7 + fox.id + static_cast<std::uint64_t>(fox.hunger); });
}
TESSERA_CALL(Hare, hear, writes<&Hare::seen>, meets<sight, agents<Toad>>) {
    self.meet(sight, agents<Toad>, [&](const auto& toad) { self.seen = self.seen * 5 + toad.id; });
}
TESSERA_CALL(Hare, watch, writes<&Hare::seen>, counts<sight, Owl>) {
    self.seen = self.seen * 3 + static_cast<std::uint64_t>(self.count(sight, agents<Owl>));
}
TESSERA_CALL(Hare, graze, writes<&Hare::seen>, around<sight, &Land::grass>) {
    self.place.each(sight, [&](const auto& site) { self.seen = self.seen * 3 + static_cast<std::uint64_t>(site.grass); });
}
TESSERA_CALL(Hare, go, moves<strides>, dies) {
    const auto way = self.random.below(8);
    if (way < 2)
        self.kill();
    else if (way < 5)
        self.migrate(0, -1);
    else
        self.migrate(0, 2);
}
// Of numbers whose sum depends on their order, and that is the order of ids.
TESSERA_CALL(Hare, mark, reads<&Hare::seen>, adds<&Land::scent>) {
    self.place.scent += static_cast<float>(self.seen % 1000) * 0.1f + static_cast<float>(self.seen % 3) * 1e5f;
}

TESSERA_CALL(Owl, smell, writes<&Owl::age>, around<sight, &Land::scent>) {
    self.place.each(sight, [&](const auto& site) { self.age += static_cast<std::int32_t>(site.scent) % 7; });
}
// Along a row alone: what they wait for in other rows is for the sake of children.
TESSERA_CALL(Owl, go, moves<offsets<west, east>>) { self.migrate(self.random.below(2) == 0 ? -1 : 1, 0); }
TESSERA_CALL(Owl, breed, spawns<Owl, strides>) {
    const auto way = self.random.below(3);
    if (way == 0) self.spawn(Owl{.age = 1}, offset<0, -1>);
    if (way == 1) self.spawn(Owl{.age = 2}, offset<0, 2>);
}
TESSERA_CALL(Owl, fade, writes<&Owl::age>, dies) {
    self.age += 3;
    if (self.random.below(4) == 0) self.kill();
}

// Those stay where they are born.
TESSERA_CALL(Toad, breed, spawns<Toad, litter>) {
    const auto way = self.random.below(3);
    if (way == 0) self.spawn(Toad{.age = 1}, offset<0, -2>);
    if (way == 1) self.spawn(Toad{.age = 2}, offset<0, 3>);
}
TESSERA_CALL(Toad, fade, dies) {
    if (self.random.below(3) == 0) self.kill();
}
TESSERA_CALL(Mole, breed, spawns<Mole, strides>) {
    const auto way = self.random.below(3);
    if (way == 0) self.spawn(Mole{.age = 1}, offset<0, -1>);
    if (way == 1) self.spawn(Mole{.age = 2}, offset<0, 2>);
}
TESSERA_CALL(Mole, fade, dies) {
    if (self.random.below(3) == 0) self.kill();
}

TESSERA_MODEL(seams, "agents that reach over seams");
// Who waits for whom in one manageAll is not to hide it in the next: each is soon behind what it has to wait for.
TESSERA_DEFAULTS(R"toml(run.steps = 3
schedule.exchange = "auto"
places.land = { size = [40, 16], boundary = "torus" }
agents.hare = { count = 1400, capacity = 3 }
agents.fox = { count = 500, capacity = 2 }
agents.owl = { count = 400, capacity = 1 }
agents.toad = { count = 400, capacity = 1 }
agents.mole = { count = 400, capacity = 1 }
phase = [
    { callAll = "land.grow" }, { callAll = "hare.graze" }, { callAll = "hare.mark" }, { callAll = "owl.smell" },
    { callAll = "fox.go" }, { callAll = "fox.breed" }, { callAll = "fox.tire" }, { callAll = "hare.see" }, { manageAll = "fox" },
    { callAll = "hare.see" },
    { callAll = "hare.go" }, { callAll = "hare.mark" }, { manageAll = "hare" },
    { callAll = "owl.go" }, { callAll = "owl.breed" }, { callAll = "owl.fade" }, { manageAll = "owl" }, { callAll = "hare.watch" },
    { callAll = "toad.breed" }, { callAll = "toad.fade" }, { callAll = "hare.hear" }, { manageAll = "toad" },
    { callAll = "mole.breed" }, { callAll = "mole.fade" }, { manageAll = "mole" },
])toml");
