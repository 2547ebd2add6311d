// Arrays and narrow and wide members side by side, three of which change names each step: what a row looks like in memory must not show.
// Every place mixes what it sees into its members, in arithmetic that wraps and in an order that shows.
#include <tessera/model.hpp>

struct Ribbon {
    std::uint8_t bytes[3] = {1, 2, 3};
    double weight = 0.5;
    std::uint16_t first = 1, second = 1, third = 1;
    bool knots[2] = {true, false};
    std::int64_t seen = 0;
};
TESSERA_PLACE(Ribbon, bytes, weight, first, second, third, knots, seen);

TESSERA_INIT(Ribbon, number, sets<&Ribbon::bytes, &Ribbon::weight, &Ribbon::first, &Ribbon::second, &Ribbon::third>) {
    const auto id = self.position.y * self.size.x + self.position.x;
    for (int e = 0; e < 3; ++e) self.bytes[e] = static_cast<std::uint8_t>(id * 7 + e);
    self.weight = static_cast<double>(id % 1000) + 0.25;
    self.first = static_cast<std::uint16_t>(id * 40503), self.second = static_cast<std::uint16_t>(id * 9973),
    self.third = static_cast<std::uint16_t>(id);
}
TESSERA_CALL(Ribbon, weave, around<offsets<west, offset<2, 1>>, &Ribbon::bytes>, around<offsets<north, south>, &Ribbon::first>,
             reads<&Ribbon::second>, writes<&Ribbon::bytes, &Ribbon::third>, sets<&Ribbon::knots>) {
    const auto left = self.at(west);
    const auto right = self.at(offset<2, 1>);
    for (int e = 0; e < 3; ++e) self.bytes[e] = static_cast<std::uint8_t>(left.bytes[(e + 1) % 3] + 3 * right.bytes[e] + self.bytes[e]);
    self.third = static_cast<std::uint16_t>(self.third + self.at(north).first - 5 * self.at(south).first + self.second);
    self.knots[0] = self.bytes[0] > 100;
    self.knots[1] = self.third % 2 == 0;
}
TESSERA_CALL(Ribbon, pull, around<von_neumann, &Ribbon::weight, &Ribbon::knots>, reads<&Ribbon::bytes>,
             writes<&Ribbon::weight, &Ribbon::seen>) {
    const auto up = self.at(north);
    const auto down = self.at(south);
    self.seen = self.seen * 3 + up.knots[0] + 2 * down.knots[1] + 4 * self.bytes[2];
    self.weight = (self.weight + up.weight + down.weight) / 3 + (self.knots[0] ? 0.125 : 0);
}

TESSERA_MODEL(ribbons, "arrays and members of all widths");
TESSERA_DEFAULTS(R"toml(run.steps = 10
places.ribbon = { size = [45, 31], boundary = "torus" }
phase = [{ exchangeAll = "ribbon" }, { callAll = "ribbon.weave" }, { rotate = ["ribbon.first", "ribbon.second", "ribbon.third"] },
         { exchangeAll = "ribbon" }, { callAll = "ribbon.pull" }])toml");
