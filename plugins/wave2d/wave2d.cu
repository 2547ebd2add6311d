// Waves on a membrane whose edge is held at 0, by the two-step scheme z(t+1) = 2 z(t) - z(t-1) + k (W + E + N + S - 4 z(t)).
//
// State t has z(t) in `now` and z(t-1) in `before`. Each step writes z(t+1) over z(t-1); the phase `rotate` then names the two anew.
// It starts at rest: z(-1) = z(0) + k/2 (W + E + N + S - 4 z(0)), so that z(1) is the same by symmetry. The edge places are 0 whatever the
// boundary is, so nothing is ever read beyond it that counts.
#include <tessera/model.hpp>

struct Wave {
    float now = 0, before = 0;
};
TESSERA_PLACE(Wave, now, before);
TESSERA_PARAM(float, k, 0.0025f, range(0, 0.5), "(c dt / dd)^2; the scheme is stable up to 1/2");

template<class Self> float pull(const Self& self) { // of the four neighbours on a place
    return self.at(west).now + self.at(east).now + self.at(north).now + self.at(south).now - 4 * self.now;
}
template<class Self> bool inside(const Self& self) {
    return (self.position.x > 0) & (self.position.x < self.size.x - 1) & (self.position.y > 0) & (self.position.y < self.size.y - 1);
}
TESSERA_INIT(Wave, lift_middle, sets<&Wave::now>) {
    const auto in_middle = [](std::int64_t i, std::int64_t n) { return i > 40 * (n / 100) && i < 60 * (n / 100); };
    self.now = in_middle(self.position.x, self.size.x) && in_middle(self.position.y, self.size.y) ? 20 : 0;
}
TESSERA_INIT(Wave, start_at_rest, around<von_neumann, &Wave::now>, sets<&Wave::before>) {
    self.before = inside(self) ? self.now + k / 2 * pull(self) : 0;
}
TESSERA_CALL(Wave, move, around<von_neumann, &Wave::now>, writes<&Wave::before>) {
    self.before = inside(self) ? 2 * self.now - self.before + k * pull(self) : 0;
}

TESSERA_MODEL(wave2d, "waves on a membrane");
TESSERA_DEFAULTS(R"toml(run.steps = 5000
places.wave = { size = [200, 200], boundary = "fixed" }
phase = [{ exchangeAll = "wave" }, { callAll = "wave.move" }, { rotate = ["wave.now", "wave.before"] }]
output = [{ every = 250, png = "wave-{step:06}.png", attribute = "wave.now", colours = "coolwarm", low = -5, high = 5 }])toml");
