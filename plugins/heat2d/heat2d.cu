// Heat spreading over a plate by explicit Euler steps, z' = z + r (W + E + N + S - 4 z); the boundary is the run file's.
//
// For `heat_time` steps a heater holds the middle third of row 0 at one temperature: its places end each of these steps with it.
// On an open boundary what is missing counts as 0, as on a fixed one whose outside is not given; `reflect` insulates.
#include <tessera/model.hpp>

struct Plate {
    float heat = 0;
};
TESSERA_PLACE(Plate, heat);
TESSERA_PARAM(float, r, 0.25f, range(0, 0.25), "diffusion number a dt / dd^2; the scheme is stable up to 1/4");
TESSERA_PARAM(int, heat_time, 0, range(0, 2147483647), "number of steps during which the heater is on; 0 leaves it off");
TESSERA_PARAM(float, heater, 19.0f, "the heater's temperature");

TESSERA_CALL(Plate, diffuse, around<von_neumann, &Plate::heat>, writes<&Plate::heat>) {
    self.heat += r * (self.at(west).heat + self.at(east).heat + self.at(north).heat + self.at(south).heat - 4 * self.heat);
    const auto third = self.size.x / 3, x = self.position.x;
    if ((std::int64_t(self.step) < heat_time) & (self.position.y == 0) & (x >= third) & (x < 2 * third)) self.heat = heater;
}

TESSERA_MODEL(heat2d, "heat spreading over a plate");
TESSERA_DEFAULTS(R"toml(run.steps = 1000
places.plate = { size = [256, 256], boundary = "torus", init.heat = { random = "uniform", low = 0, high = 19 } }
phase = [{ exchangeAll = "plate" }, { callAll = "plate.diffuse" }]
output = [{ every = 100, png = "heat-{step:06}.png", attribute = "plate.heat", colours = "inferno" }])toml");
