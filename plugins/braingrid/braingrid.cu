// Brain Grid: axons and dendrites leave the bodies of neurons, the somas, grow, branch and meet, and where a terminal of an axon meets a
// dendrite of another neuron, a synapse joins the two, along which signals go. After the benchmark of that name of MASS CUDA
// (L. Kosiachenko, N. Hart and M. Fukuda, PAAMS 2019). Its order of events is kept; its defects are not.
#include <tessera/model.hpp>

struct Cell {
    std::uint8_t soma = 0, axon_way = 0, way = 0;
    std::int16_t leaves[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    std::int32_t terminal_of = -1;
    float input = 0, output = 0;
};
TESSERA_PLACE(Cell, soma, axon_way, way, leaves, terminal_of, input, output);
TESSERA_VALUES(Cell::soma, space, excitatory, inhibitory, neutral);
TESSERA_DOC(Cell::axon_way, "in which of the eight ways the axon leaves, clockwise from north");
TESSERA_DOC(Cell::way, "in which way the last dendrite left");
TESSERA_DOC(Cell::leaves, "of a soma: the steps in which its axon and its dendrites leave; -1: it has no more of them");
TESSERA_DOC(Cell::terminal_of, "of a cell where a terminal and a dendrite met: the number of the terminal's soma; -1: none did");
TESSERA_DOC(Cell::input, "what came along synapses in the last step");
struct Axon {
    std::uint8_t way = 0, budget = 0, branches = 0;
    bool terminal = false, connected = false;
    std::int32_t soma = -1;
};
TESSERA_AGENT(Axon, on<Cell>, way, budget, branches, terminal, connected, soma);
TESSERA_DOC(Axon::budget, "how many steps a terminal grows yet");
TESSERA_DOC(Axon::branches, "how often it branches yet");
TESSERA_DOC(Axon::soma, "the number of the cell that it came from");
struct Dendrite {
    std::uint8_t way = 0, budget = 0, branches = 0;
    std::int32_t soma = -1;
};
TESSERA_AGENT(Dendrite, on<Cell>, way, budget, branches, soma);
struct Synapse {
    std::int32_t cell = -1;
};
TESSERA_LINK(Synapse, from<Cell>::to<Cell>, cell);
TESSERA_DOC(Synapse::cell, "the number of the cell where terminal and dendrite met");

TESSERA_PARAM(float, somas, 0.3f, range(0, 1), "share of cells with a soma, as many of each kind");
TESSERA_PARAM(int, sprouting, 20, range(1, 32767), "axons and dendrites leave their somas within so many steps");
TESSERA_PARAM(float, becomes_terminal, 0.1f, range(0, 1), "probability that an axon ends and becomes a terminal in a step");
TESSERA_PARAM(float, branching, 0.33f, range(0, 1), "probability that a terminal or a dendrite branches in a step");
TESSERA_PARAM(float, stopping, 0.1f, range(0, 1), "probability that a terminal or a dendrite stops growing in a step");
TESSERA_PARAM(int, growing, 5, range(1, 255), "steps that a terminal or a dendrite grows from its beginning");
TESSERA_PARAM(int, most_branches, 3, range(0, 255), "how often it branches");
TESSERA_PARAM(float, activation, 0.1f, range(0, 1), "probability that an excitatory soma begins a signal in a step");
TESSERA_PARAM(float, modulation, 0.1f, range(0, 1), "by which excitatory somas raise a signal, and to which inhibitory ones lower it");
TESSERA_PARAM(float, threshold, 0.4f, range(0, 1000), "a smaller sum of signals is not passed on");

inline constexpr std::uint8_t excitatory = 1, inhibitory = 2, neutral = 3;

// The eight ways are clockwise from north, 0; which of them leads to a neighbour.
int way_to(int dx, int dy) {
    constexpr int ways[9] = {7, 0, 1, 6, 8, 2, 5, 4, 3};
    return ways[(dy + 1) * 3 + dx + 1];
}
// In which ways there is a neighbour for which it holds, a bit each.
template<class Self, class Holds> unsigned ways_where(const Self& self, const Holds& holds) {
    unsigned ways = 0;
    const auto look = [&](auto there, unsigned way) {
        if (self.exists(there)) ways |= holds(self.at(there)) ? 1u << way : 0u;
    };
    look(north, 0u), look(offset<1, -1>, 1u), look(east, 2u), look(offset<1, 1>, 3u);
    look(south, 4u), look(offset<-1, 1>, 5u), look(west, 6u), look(offset<-1, -1>, 7u);
    return ways;
}
template<class Where> bool is_free(const Where& where) { return where.soma == 0 && where.terminal_of < 0; }

// ---- the beginning

TESSERA_INIT(Cell, found, sets<&Cell::soma>) {
    const float drawn = self.random.uniform() * 3;
    if (drawn < 3 * somas) self.soma = drawn < somas ? excitatory : drawn < 2 * somas ? inhibitory : neutral;
}
// A soma with n cells around it that are free has an axon and n - 1 dendrites.
TESSERA_INIT(Cell, plan, around<moore, &Cell::soma>, sets<&Cell::axon_way, &Cell::way, &Cell::leaves>) {
    const unsigned open = ways_where(self, [](const auto& other) { return other.soma == 0; });
    if (self.soma == 0 || open == 0) return;
    int way = self.random.below(8);
    while ((open >> way & 1u) == 0) way = (way + 1) & 7;
    self.axon_way = self.way = static_cast<std::uint8_t>(way);
    int of = 0;
    for (int each = 0; each < 8; ++each)
        if ((open >> each & 1u) != 0) self.leaves[of++] = static_cast<std::int16_t>(self.random.below(sprouting));
}

// ---- growth

// A dendrite takes the next way that is free, and not the axon's.
TESSERA_CALL(Cell, sprout, reads<&Cell::axon_way, &Cell::leaves>, writes<&Cell::way>, around<moore, &Cell::soma, &Cell::terminal_of>,
             spawns<Axon>, spawns<Dendrite, here, 7>) {
    if (self.soma == 0) return;
    const unsigned open = ways_where(self, [](const auto& other) { return is_free(other); }) & ~(1u << self.axon_way);
    const auto me = static_cast<std::int32_t>(self.position.y * self.size.x + self.position.x);
    const auto budget = static_cast<std::uint8_t>(growing), branches = static_cast<std::uint8_t>(most_branches);
    if (self.leaves[0] == self.step) self.spawn(Axon{.way = self.axon_way, .budget = budget, .branches = branches, .soma = me});
    for (int each = 1; each < 8; ++each) {
        if (self.leaves[each] != self.step || open == 0) continue;
        do self.way = static_cast<std::uint8_t>((self.way + 1) & 7);
        while ((open >> self.way & 1u) == 0);
        self.spawn(Dendrite{.way = self.way, .budget = budget, .branches = branches, .soma = me});
    }
}
// The next cell straight on, or for those that may turn 45 degrees to the left, or to the right: there is `here` where none is free.
template<class Self> auto cell_ahead(const Self& self, bool straight, bool turning) {
    auto next = self.place.here();
    int best = 3;
    self.place.each(moore, [&](const auto& site) {
        const int turn = (way_to(static_cast<int>(site.offset.x), static_cast<int>(site.offset.y)) - self.way) & 7;
        const int rank = turn == 0 && straight ? 0 : turn == 7 && turning ? 1 : turn == 1 && turning ? 2 : 3;
        if (is_free(site) && rank < best) best = rank, next = site;
    });
    return next;
}
template<class Site> bool is_here(const Site& site) { return site.offset.x == 0 && site.offset.y == 0; }

TESSERA_CALL(Axon, leave, reads<&Axon::way>, around<moore, &Cell::soma, &Cell::terminal_of>, reads<&Cell::soma>, moves<moore>, dies) {
    if (self.place.soma == 0) return;
    const auto next = cell_ahead(self, true, false);
    if (is_here(next)) return self.kill(); // somebody was faster
    self.migrate(next);
}
TESSERA_CALL(Dendrite, leave, reads<&Dendrite::way>, around<moore, &Cell::soma, &Cell::terminal_of>, reads<&Cell::soma>, moves<moore>,
             dies) {
    if (self.place.soma == 0) return;
    const auto next = cell_ahead(self, true, false);
    if (is_here(next)) return self.kill();
    self.migrate(next);
}
TESSERA_CALL(Axon, end, reads<&Cell::soma>, writes<&Axon::terminal>) {
    if (!self.terminal && self.random.bernoulli(becomes_terminal)) self.terminal = true;
}
// Of dendrites in a cell the first stays, and of terminals too. A terminal that meets a dendrite of another soma is connected: a synapse
// joins the two somas. A dendrite that meets a terminal is gone, whosever it is.
TESSERA_CALL(Dendrite, connect, reads<&Cell::terminal_of>, counts<here, Dendrite>, meets<here, &Axon::terminal, &Axon::connected>, dies) {
    if (self.place.terminal_of >= 0) return;
    bool met = false;
    self.meet(here, agents<Axon>, [&](const auto& other) { met |= other.terminal && !other.connected; });
    if (self.rank() > 0 || met) self.kill();
}
TESSERA_CALL(Axon, connect, reads<&Axon::soma, &Axon::terminal>, writes<&Axon::connected>, reads<&Cell::terminal_of>,
             most<&Cell::terminal_of>, meets<here, &Axon::terminal, &Axon::connected, &Dendrite::soma>, spawns<Synapse>, dies) {
    const int before = self.place.terminal_of;
    if (!self.terminal || self.connected || before >= 0) return;
    bool first = true;
    self.meet(here, agents<Axon>, [&](const auto& other) { first &= !other.terminal || other.connected || other.id > self.id; });
    if (!first) return self.kill();
    std::int32_t of = -1;
    self.meet(here, agents<Dendrite>, [&](const auto& other) { of = of < 0 ? other.soma : of; }); // the one that stays
    if (of < 0 || of == self.soma) return;
    self.connected = true;
    self.place.terminal_of.raise_to(self.soma);
    self.spawn(Synapse{.cell = static_cast<std::int32_t>(self.place.id)}, self.soma, of);
}
// Straight on; axons also to the left or to the right. What is blocked is gone.
TESSERA_CALL(Axon, grow, reads<&Axon::terminal, &Axon::connected>, writes<&Axon::way, &Axon::budget>,
             around<moore, &Cell::soma, &Cell::terminal_of>, moves<moore>, dies) {
    if (self.connected) return;
    if (self.terminal && (self.budget == 0 || self.random.bernoulli(stopping))) return self.kill();
    const auto next = cell_ahead(self, true, !self.terminal);
    if (is_here(next)) return self.kill();
    self.way = static_cast<std::uint8_t>(way_to(static_cast<int>(next.offset.x), static_cast<int>(next.offset.y)));
    if (self.terminal) self.budget -= 1;
    self.migrate(next);
}
TESSERA_CALL(Dendrite, grow, reads<&Dendrite::way>, writes<&Dendrite::budget>, around<moore, &Cell::soma, &Cell::terminal_of>, moves<moore>,
             dies) {
    if (self.budget == 0 || self.random.bernoulli(stopping)) return self.kill();
    const auto next = cell_ahead(self, true, false);
    if (is_here(next)) return self.kill();
    self.budget -= 1;
    self.migrate(next);
}
// A branch begins beside the way, to the left, or to the right.
TESSERA_CALL(Axon, branch, reads<&Axon::way, &Axon::terminal, &Axon::connected, &Axon::soma>, writes<&Axon::branches>,
             around<moore, &Cell::soma, &Cell::terminal_of>, spawns<Axon, moore>) {
    if (!self.terminal || self.connected || self.branches == 0 || !self.random.bernoulli(branching)) return;
    const auto next = cell_ahead(self, false, true);
    if (is_here(next)) return;
    self.branches -= 1;
    const auto way = static_cast<std::uint8_t>(way_to(static_cast<int>(next.offset.x), static_cast<int>(next.offset.y)));
    self.spawn(
        Axon{.way = way, .budget = static_cast<std::uint8_t>(growing), .branches = self.branches, .terminal = true, .soma = self.soma},
        next);
}
TESSERA_CALL(Dendrite, branch, reads<&Dendrite::way, &Dendrite::soma>, writes<&Dendrite::branches>,
             around<moore, &Cell::soma, &Cell::terminal_of>, spawns<Dendrite, moore>) {
    if (self.branches == 0 || !self.random.bernoulli(branching)) return;
    const auto next = cell_ahead(self, false, true);
    if (is_here(next)) return;
    self.branches -= 1;
    const auto way = static_cast<std::uint8_t>(way_to(static_cast<int>(next.offset.x), static_cast<int>(next.offset.y)));
    self.spawn(Dendrite{.way = way, .budget = static_cast<std::uint8_t>(growing), .branches = self.branches, .soma = self.soma}, next);
}

// ---- signals

TESSERA_CALL(Cell, fire, reads<&Cell::soma, &Cell::input>, sets<&Cell::output>) {
    const float passed = self.input >= threshold ? self.input : 0.0f;
    if (self.soma == excitatory) self.output = (self.random.bernoulli(activation) ? 1.0f : 0.0f) + (1 + modulation) * passed;
    if (self.soma == inhibitory) self.output = modulation * passed;
    if (self.soma == neutral) self.output = passed;
}
TESSERA_CALL(Cell, send, reads<&Cell::output>, around<out_links<Synapse>>, adds<out_links<Synapse>, &Cell::input>) {
    if (self.output != 0) self.send(out_links<Synapse>, [&](const auto& there) { there.input += self.output; });
}

TESSERA_MODEL(braingrid, "neurons whose axons and dendrites grow until they meet, and signals along the synapses");
TESSERA_DEFAULTS(R"toml(run.steps = 50
schedule.exchange = "auto"
places.cell = { size = [100, 100], boundary = "open" }
agents = { axon.capacity = "unlimited", dendrite.capacity = "unlimited" }
links.synapse = { generate = { rule = "random", chance = 0 }, parallel = true }
phase = [{ callAll = "cell.sprout" }, { manageAll = ["axon", "dendrite"] },
         { callAll = "axon.leave" }, { callAll = "dendrite.leave" }, { manageAll = ["axon", "dendrite"] }, { callAll = "axon.end" },
         { callAll = "dendrite.connect" }, { callAll = "axon.connect" }, { manageAll = ["axon", "dendrite"] },
         { callAll = "axon.grow" }, { callAll = "dendrite.grow" }, { manageAll = ["axon", "dendrite"] },
         { callAll = "dendrite.connect" }, { callAll = "axon.connect" }, { manageAll = ["axon", "dendrite"] },
         { callAll = "axon.branch" }, { callAll = "dendrite.branch" }, { manageAll = ["axon", "dendrite"] },
         { callAll = "dendrite.connect" }, { callAll = "axon.connect" }, { manageAll = ["axon", "dendrite"] },
         { manageAll = "synapse" }, { callAll = "cell.fire" }, { callAll = "cell.send" }]
)toml");
