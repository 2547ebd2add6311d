// Knots that are tied to each other, and pegs from which lines lead to knots: functions of links, links that are born and that die.
#include <tessera/model.hpp>

struct Knot {
    std::int32_t value = 0;
    std::int64_t seen = 0;
};
TESSERA_PLACE(Knot, value, seen);
struct Peg {
    std::int32_t value = 0;
    std::int64_t seen = 0;
};
TESSERA_PLACE(Peg, value, seen);
struct Tie {
    std::int64_t load = 0;
    float tension = 1;
    std::int16_t marks[2] = {0, 0};
};
TESSERA_LINK(Tie, between<Knot>, load, tension, marks);
struct Line {
    std::int32_t load = 0;
};
TESSERA_LINK(Line, from<Peg>::to<Knot>, load);

TESSERA_PARAM(float, breaks, 0.3f, range(0, 1), "how likely a link ends in a step");

TESSERA_CALL(Tie, strain, around<ends, &Knot::value>, writes<&Tie::load, &Tie::tension, &Tie::marks>) {
    self.load += self.from.value - 2 * self.to.value + 3 * self.from.id + self.to.id;
    self.tension = self.random.uniform() + 0.5f * self.random.uniform();
    self.marks[1] = static_cast<std::int16_t>(self.marks[1] + self.step + 1);
}
TESSERA_CALL(Line, strain, around<ends, &Peg::value, &Knot::value>, writes<&Line::load>) {
    self.load += self.from.value - 2 * self.to.value + self.random.below(10);
}
TESSERA_CALL(Tie, part, dies) {
    if (self.random.bernoulli(breaks)) self.kill();
}
TESSERA_CALL(Line, part, reads<&Line::load>, dies) {
    if (self.load % 3 == 0) self.kill();
}

// Every other time to a hub.
template<class Self> std::int64_t another(Self& self, std::int64_t count) {
    const std::int64_t one = self.random.below(static_cast<std::int32_t>(count));
    return self.random.below(2) == 0 ? one : 1;
}
TESSERA_CALL(Knot, tie, around<links<Tie>>, spawns<Tie, anywhere, 3>) {
    if (self.count(links<Tie>) > 40) return;
    const int wanted = self.random.below(4);
    for (int i = 0; i < wanted; ++i) {
        const std::int64_t other = another(self, self.size);
        self.spawn(Tie{.load = self.id * 10 + i, .tension = 2, .marks = {static_cast<std::int16_t>(i), 7}}, other);
    }
}
TESSERA_CALL(Peg, hang, spawns<Line>) { self.spawn(Line{.load = static_cast<std::int32_t>(self.step)}, self.random.below(5)); }
TESSERA_CALL(Knot, hang, spawns<Line>, spawns<Tie>) {
    self.spawn(Line{.load = -1}, self.random.below(3), self.id);
    const int from = self.random.below(3), to = self.random.below(3);
    self.spawn(Tie{.load = -1}, from, to);
}
TESSERA_CALL(Knot, stray, spawns<Tie>) {
    if (self.id == 4) self.spawn(Tie{}, self.size);
}
TESSERA_CALL(Knot, grab, spawns<Tie, anywhere, 2>) {
    for (int i = 0; i < self.id; ++i) self.spawn(Tie{}, i);
}
TESSERA_CALL(Knot, look, around<links<Tie>, &Knot::value, &Tie::load, &Tie::marks>, around<in_links<Line>, &Line::load, &Peg::value>,
             writes<&Knot::value, &Knot::seen>) {
    self.each(links<Tie>, [&](const auto& other) {
        self.seen = (self.seen * 31 + other.id + 7 * other.value + other.link.load + other.link.marks[1]) % 1000003;
    });
    self.each(in_links<Line>, [&](const auto& peg) { self.seen = (self.seen * 31 + peg.id + 7 * peg.value + peg.link.load) % 1000003; });
    self.value = static_cast<std::int32_t>(self.seen % 100);
}
TESSERA_CALL(Peg, look, around<out_links<Line>, &Line::load, &Knot::value>, writes<&Peg::seen>, sets<&Peg::value>) {
    self.each(out_links<Line>,
              [&](const auto& knot) { self.seen = (self.seen * 31 + knot.id + 7 * knot.value + knot.link.load) % 1000003; });
    self.value = static_cast<std::int32_t>(self.seen % 10);
}
TESSERA_MODEL(knots, "knots, pegs, ties and lines");
TESSERA_DEFAULTS(R"toml(run.steps = 5
places.knot.count = 30
places.peg.count = 7
links.tie.generate = { rule = "random", links = 50 }
links.line.generate = { rule = "random", links = 10 }
schedule.exchange = "auto"
phase = [{ callAll = "tie.strain" }, { callAll = "line.strain" }, { callAll = "tie.part" }, { callAll = "line.part" },
         { callAll = "knot.tie" }, { callAll = "peg.hang" }, { callAll = "knot.hang" }, { manageAll = ["tie", "line"] },
         { callAll = "knot.look" }, { callAll = "peg.look" }])toml");
