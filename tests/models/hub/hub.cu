// Everybody wants a link to one place, and one elsewhere, in each step.
#include <tessera/model.hpp>

struct Rim {
    std::int64_t heard = 0, told = 0;
};
TESSERA_PLACE(Rim, heard, told);
struct Spoke {
    std::int32_t since = 0;
};
TESSERA_LINK(Spoke, from<Rim>::to<Rim>, since);

TESSERA_CALL(Spoke, part, around<ends>, dies) {
    if ((self.from.id + self.to.id) % 5 == self.step) self.kill();
}
TESSERA_CALL(Rim, join, spawns<Spoke, anywhere, 2>) {
    const auto since = static_cast<std::int32_t>(self.step) + 1;
    self.spawn(Spoke{.since = since}, 7);
    self.spawn(Spoke{.since = since}, self.id * 31 % self.size);
}
TESSERA_CALL(Rim, hear, around<in_links<Spoke>, &Spoke::since>, sets<&Rim::heard>) {
    std::int64_t sum = 0;
    self.each(in_links<Spoke>, [&](const auto& other) { sum += other.id + 10000 * other.link.since; });
    self.heard = sum;
}
TESSERA_CALL(Rim, tell, around<out_links<Spoke>, &Spoke::since>, sets<&Rim::told>) {
    std::int64_t sum = 0;
    self.each(out_links<Spoke>, [&](const auto& other) { sum += other.id + 10000 * other.link.since; });
    self.told = sum;
}
TESSERA_MODEL(hub, "a place to which all others want links");
TESSERA_DEFAULTS(R"toml(run.steps = 3
places.rim.count = 5000
links.spoke = { generate = { rule = "random", links = 20000 }, loops = true }
phase = [{ callAll = "spoke.part" }, { callAll = "rim.join" }, { manageAll = "spoke" }, { callAll = "rim.hear" }, { callAll = "rim.tell" }])toml");
