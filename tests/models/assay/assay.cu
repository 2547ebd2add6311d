// Members of all types, over which tests make values of a step as they like; each place notes what they were.
#include <tessera/model.hpp>

struct Sample {
    bool pure = false;
    std::int8_t a = 0;
    std::uint8_t b = 0;
    std::int16_t c = 0;
    std::uint16_t d = 0;
    std::int32_t e = 0;
    std::uint32_t f = 0;
    std::int64_t g = 0;
    std::uint64_t h = 0;
    float x[2] = {};
    double y = 0;
    double noted[2] = {}, earlier[2] = {};
    std::int64_t whole = 0;
    std::uint8_t narrow = 0;
    std::uint64_t trail = 0; // of the integers that were noted
};
TESSERA_PLACE(Sample, pure, a, b, c, d, e, f, g, h, x, y, noted, earlier, whole, narrow, trail);
TESSERA_PARAM(double, weight, 0.75, "of what a sample was");

TESSERA_GLOBAL(double, first);
TESSERA_GLOBAL(float, second);
TESSERA_GLOBAL(std::int64_t, third);
TESSERA_GLOBAL(std::uint8_t, fourth);

TESSERA_INIT(Sample, draw, sets<&Sample::pure, &Sample::a, &Sample::b, &Sample::c, &Sample::d, &Sample::e, &Sample::f>,
             sets<&Sample::g, &Sample::h, &Sample::x, &Sample::y>) {
    const auto number = [&](int below) { return static_cast<int>(self.random.below(below)); };
    self.pure = number(3) == 0;
    self.a = static_cast<std::int8_t>(number(256) - 128);
    self.b = static_cast<std::uint8_t>(number(256));
    self.c = static_cast<std::int16_t>(number(9000) - 4500);
    self.d = static_cast<std::uint16_t>(number(65536));
    self.e = number(2000000000) - 1000000000;
    self.f = 4294967295u - static_cast<std::uint32_t>(number(1000));
    self.g = std::int64_t{number(1000000)} * 1000000 - 7;
    self.h = static_cast<std::uint64_t>(number(1000));
    const double wide = self.random.uniform() - 0.5;
    self.x[0] = static_cast<float>(wide);
    self.x[1] = static_cast<float>(wide * 1e20);
    self.y = wide * wide * 1e-9 + number(8) * 1e12;
}

TESSERA_CALL(Sample, note, writes<&Sample::pure, &Sample::e, &Sample::y, &Sample::noted, &Sample::earlier>,
             writes<&Sample::whole, &Sample::narrow, &Sample::trail>, reads<first, second>, reads<third, fourth>) {
    self.trail = self.trail * 31 + static_cast<std::uint64_t>(self.get(third)) * 257 + self.get(fourth);
    for (int k = 0; k < 2; ++k) self.earlier[k] = self.noted[k];
    self.noted[0] = self.get(first);
    self.noted[1] = static_cast<double>(self.get(second));
    self.whole = self.get(third);
    self.narrow = self.get(fourth);
    self.y = self.y * weight + 1.0 / (self.get(fourth) + 1.0);
    self.e = self.e / 2 + static_cast<std::int32_t>(self.get(third) % 100);
    self.pure = self.e % 3 == 0;
}

TESSERA_MODEL(assay, "values of a step over members of all types");
TESSERA_DEFAULTS(R"toml(run.steps = 1
places.sample.size = [9, 7]

[[phase]]
reduce = { first = "mean(sample.y)", second = "max(sample.x[0])", third = "sum(sample.e)", fourth = "count(sample.pure) % 200" }
[[phase]]
callAll = "sample.note"
)toml");
