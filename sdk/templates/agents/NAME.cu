// Sheep that graze: who finds grass grows strong and has lambs, who finds none starves.
#include <tessera/model.hpp>

struct Meadow {
    std::uint8_t grown = 1;
    std::uint8_t days = 0;
    std::uint8_t eaten = 0;
};
TESSERA_PLACE(Meadow, grown, days, eaten);
TESSERA_DOC(Meadow::grown, "whether there is grass");
TESSERA_DOC(Meadow::days, "since it was eaten");
TESSERA_DOC(Meadow::eaten, "whether a sheep ate here in this step");

struct Sheep {
    float energy = 4;
};
TESSERA_AGENT(Sheep, on<Meadow>, energy);

TESSERA_PARAM(int, regrowth, 30, range(1, 200), "days until eaten grass is there again");
TESSERA_PARAM(float, gain, 4, range(0, 100), "energy that a sheep gains from grass");
TESSERA_PARAM(float, lambs, 0.04f, range(0, 1), "probability of a lamb, a sheep and day");

TESSERA_CALL(Sheep, wander, moves<moore>) {
    const int k = static_cast<int>(self.random.below(8)), i = k + (k > 3); // 4 is where it stands
    self.migrate(i % 3 - 1, i / 3 - 1);
}

// Of the sheep on a place the one with the lowest number eats.
TESSERA_CALL(Sheep, graze, writes<&Sheep::energy>, reads<&Meadow::grown>, counts<here, Sheep>, most<&Meadow::eaten>, spawns<Sheep>, dies) {
    self.energy -= 1;
    if (self.place.grown != 0 && self.rank() == 0) {
        self.energy += gain;
        self.place.eaten.raise_to(1);
    }
    if (self.energy < 0) {
        self.kill();
    } else if (self.random.bernoulli(lambs)) {
        self.energy /= 2;
        self.spawn(Sheep{.energy = self.energy});
    }
}

TESSERA_CALL(Meadow, grow, writes<&Meadow::grown, &Meadow::days, &Meadow::eaten>) {
    if (self.eaten != 0) {
        self.grown = 0;
        self.days = 0;
        self.eaten = 0;
    } else if (self.grown == 0) {
        ++self.days;
        if (self.days >= regrowth) self.grown = 1;
    }
}

TESSERA_MODEL(MODEL_NAME, "sheep that graze");
