// Values that are made once a step: of its number alone, of values of the step, of each other; in rounds of a repeat, in some steps
// alone. With `once` = 0 every place works them out for itself, which has to give the same state.
#include <tessera/model.hpp>

struct Shore {
    float level = 0;
    std::int64_t trail = 0;
    double salt = 1;
    std::uint8_t wet = 0;
};
TESSERA_PLACE(Shore, level, trail, salt, wet);

TESSERA_PARAM(std::int32_t, once, 1, range(0, 1), "whether what is the same for all is made once a step");
TESSERA_PARAM(float, tide, 1.5f, "how high it rises");
TESSERA_GLOBAL(double, mean);
TESSERA_GLOBAL(float, highest);
TESSERA_GLOBAL(std::int32_t, shells);

float height_in(std::int64_t step) { return tide * sin(0.1f * static_cast<float>(step)); }
float chance_in(std::int64_t step, int n) { return 1.0f - pow(0.9f - 0.001f * static_cast<float>(step % 100), static_cast<float>(n)); }
double pull_of(double mean, float highest) { return exp(-abs(mean) - 0.25 * static_cast<double>(highest)); }
std::int64_t mark_of(std::int32_t shells, double pull, int i) { return shells * 1000 + to_int<std::int64_t>(pull * 1e6) % 1000 + i * i; }

TESSERA_UNIFORM(float, height) { return height_in(self.step); }
TESSERA_UNIFORM(float[9], chance) { return chance_in(self.step, self.index); }
TESSERA_UNIFORM(std::uint8_t[3], shades, reads<height>) { return static_cast<std::uint8_t>(self.get(height) > 0 ? self.index + 1 : 7); }
TESSERA_UNIFORM(double, pull, reads<mean>, reads<highest>) { return pull_of(self.get(mean), self.get(highest)); }
TESSERA_UNIFORM(std::int64_t[64], mark, reads<shells, pull>) { return mark_of(self.get(shells), self.get(pull), self.index); }

TESSERA_CALL(Shore, flood, around<moore, &Shore::wet>, writes<&Shore::wet, &Shore::level>, reads<height, chance, shades>) {
    const int n = self.sum(moore, &Shore::wet) % 9;
    const float rise = once != 0 ? self.get(height) : height_in(self.step),
                risk = once != 0 ? self.get(chance)[n] : chance_in(self.step, n);
    const int shade = once != 0 ? self.get(shades)[n % 3] : height_in(self.step) > 0 ? n % 3 + 1 : 7;
    self.level = self.level * 0.5f + rise;
    self.wet = static_cast<std::uint8_t>(self.random.uniform() < risk ? shade : 0);
}
TESSERA_CALL(Shore, relax, writes<&Shore::level, &Shore::salt>, reads<pull, mean, highest>) {
    const double by = once != 0 ? self.get(pull) : pull_of(self.get(mean), self.get(highest));
    self.salt = self.salt * 0.75 + by;
    self.level = self.level * 0.7f + static_cast<float>(by) * 0.125f;
}
TESSERA_CALL(Shore, note, writes<&Shore::trail>, reads<&Shore::wet>, reads<mark, shells, mean, highest>) {
    const int i = self.wet * 7 % 64;
    const auto mark_here = once != 0 ? self.get(mark)[i] : mark_of(self.get(shells), pull_of(self.get(mean), self.get(highest)), i);
    self.trail = self.trail % 1000000007 * 31 + mark_here;
}

TESSERA_MODEL(tides, "what is the same for all, made once a step");
TESSERA_DEFAULTS(R"toml(run.steps = 40
schedule.exchange = "auto"
places.shore = { size = [70, 45], boundary = "torus", init.wet = { random = 0.4 } }

[[phase]]
callAll = "shore.flood"
[[phase]]
reduce = { mean = "mean(shore.level)", highest = "max(shore.level)", shells = "count(shore.wet > 1)" }
[[phase]]
callAll = "shore.note"
[[phase]]
repeat.until = "max(shore.level) < 0.9"
repeat.most = 3
repeat.phases = [{ callAll = "shore.relax" }, { reduce = { highest = "max(shore.level)" } }]
[[phase]]
callAll = "shore.note"
every = 3
)toml");
