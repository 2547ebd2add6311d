// Oscillators that pull each other along (Y. Kuramoto, 1975), on any network. Their own speeds are spread like a Lorentzian of width 1, so
// that for all joined with all it is known when they fall into step: beyond a strength of 2, with an order of sqrt(1 - 2 / strength).
#include <tessera/model.hpp>

struct Oscillator {
    double phase = 0, speed = 0;
    double across = 1, along = 0;
};
TESSERA_PLACE(Oscillator, phase, speed, across, along);
TESSERA_DOC(Oscillator::speed, "by itself, in radians a unit of time");
TESSERA_DOC(Oscillator::across, "cosine of the phase, to be averaged over all");
TESSERA_DOC(Oscillator::along, "its sine");
struct Coupling {};
TESSERA_LINK(Coupling, between<Oscillator>);
TESSERA_PARAM(double, strength, 4, range(0, 100), "how much an oscillator is pulled along by the mean of those that it is joined with");
TESSERA_PARAM(double, dt, 0.05, range(0, 1), "time of a step");

TESSERA_INIT(Oscillator, begin, sets<&Oscillator::phase, &Oscillator::speed, &Oscillator::across, &Oscillator::along>) {
    const double phase = 2 * pi * self.random.uniform64();
    self.phase = phase, self.across = cos(phase), self.along = sin(phase);
    self.speed = tan(pi * ((static_cast<double>(self.id) + 0.5) / static_cast<double>(self.size) - 0.5));
}

TESSERA_CALL(Oscillator, turn, around<links<Coupling>, &Oscillator::phase>, reads<&Oscillator::speed>,
             writes<&Oscillator::phase, &Oscillator::across, &Oscillator::along>) {
    const double mine = self.phase;
    const int degree = self.count(links<Coupling>);
    const double pull = self.sum(links<Coupling>, [&](const auto& other) { return sin(other.phase - mine); });
    self.phase += dt * (self.speed + (degree > 0 ? strength * pull / degree : 0.0));
    self.across = cos(self.phase);
    self.along = sin(self.phase);
}

TESSERA_MODEL(kuramoto, "oscillators that fall into step");
TESSERA_DEFAULTS(R"toml(run.steps = 800
places.oscillator = { count = 400 }
links.coupling = { generate = { rule = "complete" } }
phase = [{ exchangeAll = "oscillator" }, { callAll = "oscillator.turn" }]
)toml");
