// Heat in a block by explicit Euler steps: what a kernel by hand for volumes is compared with. With `power`, a source goes round in it,
// whose place depends on the step alone.
#include <tessera/model.hpp>

struct Block {
    float heat = 0;
};
TESSERA_PLACE(Block, heat);
TESSERA_PARAM(float, r, 0.1f, range(0, 0.17), "diffusion number a dt / dd^2; the scheme is stable up to 1/6");
TESSERA_PARAM(float, power, 0.0f, "what the source adds in a step; 0: there is none");
TESSERA_PARAM(int, period, 400, range(1, 1000000), "steps in which the source goes round");

TESSERA_CALL(Block, diffuse, around<von_neumann, &Block::heat>, writes<&Block::heat>) {
    const float sides = self.at(west).heat + self.at(east).heat + self.at(north).heat + self.at(south).heat;
    self.heat += r * (sides + self.at(above).heat + self.at(below).heat - 6 * self.heat);
    if (power == 0) return;
    const float angle = 6.2831853f * static_cast<float>(self.step % period) / static_cast<float>(period);
    const float dx = static_cast<float>(self.position.x - self.size.x / 2) - 10 * cos(angle);
    const float dy = static_cast<float>(self.position.y - self.size.y / 2) - 10 * sin(angle);
    const float dz = static_cast<float>(self.position.z - self.size.z / 2);
    if (dx * dx + dy * dy + dz * dz <= 6.25f) self.heat += power;
}

TESSERA_MODEL(heat3d, "heat spreading in a block");
TESSERA_DEFAULTS(R"toml(run.steps = 1000
places.block = { size = [64, 64, 64], boundary = "torus", init.heat = { random = "uniform", low = 0, high = 19 } }
phase = [{ exchangeAll = "block" }, { callAll = "block.diffuse" }])toml");
