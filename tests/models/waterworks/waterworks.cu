// Pumps that are numbered, tanks on a grid, pipes from pumps to tanks, and ropes between tanks: all that functions do along links.
#include <tessera/model.hpp>

struct Pump {
    std::int32_t level = 0;
    float force = 1;
    std::int64_t drained = 0;
};
TESSERA_PLACE(Pump, level, force, drained);
struct Tank {
    float got = 0;
    std::int32_t pumps = 0, high = 0, lowest = 0, highest = 0, picked = -1;
    std::int64_t levels = 0, order = 0;
    std::uint8_t wet = 0;
};
TESSERA_PLACE(Tank, got, pumps, high, lowest, highest, picked, levels, order, wet);
struct Pipe {
    float width = 0.5f;
    std::int16_t bends[2] = {1, 2};
};
TESSERA_LINK(Pipe, from<Pump>::to<Tank>, width, bends);
struct Rope {};
TESSERA_LINK(Rope, between<Tank>);

TESSERA_CALL(Tank, fill, around<in_links<Pipe>, &Pump::level, &Pump::force, &Pipe::width, &Pipe::bends>, writes<&Tank::got>,
             sets<&Tank::pumps, &Tank::high, &Tank::lowest, &Tank::highest, &Tank::picked, &Tank::levels, &Tank::order, &Tank::wet>) {
    self.got += self.sum(in_links<Pipe>, [](const auto& pump) { return pump.force * pump.link.width; });
    self.pumps = self.count(in_links<Pipe>);
    self.high = self.count(in_links<Pipe>, [](const auto& pump) { return pump.level > 10; });
    self.wet = self.any(in_links<Pipe>, [](const auto& pump) { return pump.link.bends[1] > 5; });
    self.lowest = self.least(in_links<Pipe>, 1000, [](const auto& pump) { return pump.level; });
    self.highest = self.most(in_links<Pipe>, -1, [](const auto& pump) { return pump.level; });
    self.levels = self.sum(in_links<Pipe>, &Pump::level);
    self.order = 0, self.picked = -1;
    self.each(in_links<Pipe>, [&](const auto& pump) { self.order = (self.order * 31 + pump.id) % 1000003; });
    self.pick(in_links<Pipe>, [&](const auto& pump) { self.picked = static_cast<std::int32_t>(pump.id); });
}
TESSERA_CALL(Pump, push, around<out_links<Pipe>, &Tank::pumps, &Pipe::bends>, writes<&Pump::level, &Pump::drained>) {
    self.each(out_links<Pipe>, [&](const auto& tank) { self.drained += tank.pumps * tank.link.bends[0] + tank.id; });
    self.level += self.count(out_links<Pipe>);
}
TESSERA_CALL(Tank, sway, around<von_neumann, &Tank::got>, around<links<Rope>, &Tank::got>, writes<&Tank::got>) {
    const float beside = self.sum(von_neumann, &Tank::got), along = self.sum(links<Rope>, &Tank::got);
    self.got = 0.5f * self.got + 0.0625f * beside + 0.03125f * along;
}
TESSERA_MODEL(waterworks, "pumps, tanks, pipes and ropes");
TESSERA_DEFAULTS(R"toml(run.steps = 5
places.pump.count = 500
places.tank.size = [20, 30]
links.pipe = { generate = { rule = "random", links = 2000 } }
links.rope = { generate = { rule = "ring", degree = 4 } }
phase = [{ exchangeAll = "*" }, { callAll = "tank.fill" }, { callAll = "pump.push" }, { exchangeAll = "*" }, { callAll = "tank.sway" }])toml");
