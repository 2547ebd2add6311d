// plugins/braingrid: what holds of all growth, whatever is drawn, and signals against a plain loop with the same draws.
// optimise: yes
#include "host/world/link_lists.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

namespace tessera::test::braingrid_test {
namespace {

constexpr std::int64_t nx = 41, ny = 30, cells = nx * ny;
constexpr int growing = 5, most_branches = 3;

struct Joint {
    std::int32_t from = 0, to = 0, cell = 0;
};

class Brain {
public:
    explicit Brain(const std::string& boundary, int threads = 1)
        : world(plugin("braingrid"), {fmt::format("places.cell={{size=[{},{}],boundary=\"{}\"}}", nx, ny, boundary), "run.seed=3"},
                {"cpu", threads}) {}

    [[nodiscard]] std::vector<Joint> joints() const {
        const auto id = require_collection(world.setup(), "synapse", {});
        const auto count = static_cast<std::size_t>(links_there(world.setup(), id, world.simulation().reader()));
        const auto first = world.setup().column_of(id, Role::link_end);
        const auto from = world.simulation().read(first), to = world.simulation().read(ColumnId(first.index() + 1));
        const auto cell = world.values<std::int32_t>("synapse", "cell");
        std::vector<Joint> all;
        for (std::size_t i = 0; i < count; ++i) all.push_back({from.data<std::int32_t>()[i], to.data<std::int32_t>()[i], cell[i]});
        return all;
    }
    template<class T> [[nodiscard]] std::vector<T> of_cells(const char* member) const { return world.values<T>("cell", member); }

    WorldUnderTest world;
};

// The eight cells around one, clockwise from the north; -1 beyond an edge.
std::array<std::int64_t, 8> around(std::int64_t cell, bool is_torus) {
    constexpr std::array<int, 8> dx{0, 1, 1, 1, 0, -1, -1, -1}, dy{-1, -1, 0, 1, 1, 1, 0, -1};
    std::array<std::int64_t, 8> found{};
    for (std::size_t way = 0; way < 8; ++way) {
        const auto x = cell % nx + dx[way], y = cell / nx + dy[way];
        const bool inside = x >= 0 && x < nx && y >= 0 && y < ny;
        found[way] = inside || is_torus ? (y + ny) % ny * nx + (x + nx) % nx : -1;
    }
    return found;
}

// A soma has an axon, and a dendrite less than there are free cells around it; the axon leaves to one of these.
void expect_planned(const Brain& brain, bool is_torus) {
    const auto soma = brain.of_cells<std::uint8_t>("soma"), way = brain.of_cells<std::uint8_t>("axon_way");
    const auto leaves = brain.of_cells<std::int16_t>("leaves"); // a plane an element
    std::array<int, 4> kinds{};
    for (std::int64_t cell = 0; cell < cells; ++cell) {
        const auto c = static_cast<std::size_t>(cell);
        ++kinds[soma[c]];
        std::int64_t open = 0, planned = 0;
        for (const auto other : around(cell, is_torus)) open += other >= 0 && soma[static_cast<std::size_t>(other)] == 0 ? 1 : 0;
        for (std::size_t each = 0; each < 8; ++each) planned += leaves[each * cells + c] >= 0 ? 1 : 0;
        EXPECT_EQ(planned, soma[c] == 0 ? 0 : open);
        if (planned == 0) continue;
        const auto first = around(cell, is_torus)[way[c]];
        ASSERT_GE(first, 0);
        EXPECT_EQ(soma[static_cast<std::size_t>(first)], 0);
    }
    for (std::size_t kind = 1; kind < 4; ++kind) EXPECT_NEAR(kinds[kind], cells / 10, 45);
}

// Where the dendrites of each soma stand.
using Dendrites = std::map<std::int32_t, std::vector<std::int64_t>>;

Dendrites dendrites_of(const Brain& brain) {
    const auto all = brain.world.agents("dendrite");
    const auto soma = brain.world.agent_values<std::int32_t>("dendrite", "soma");
    Dendrites dendrites;
    for (std::size_t i = 0; i < all.size(); ++i) dendrites[soma[i]].push_back(all.places[i]);
    return dendrites;
}

std::int64_t distance(std::int64_t a, std::int64_t b, bool is_torus) {
    const auto along = [&](std::int64_t from, std::int64_t to, std::int64_t n) {
        const auto apart = std::abs(from - to);
        return is_torus ? std::min(apart, n - apart) : apart;
    };
    return std::max(along(a % nx, b % nx, nx), along(a / nx, b / nx, ny));
}

// One synapse a cell where a terminal met a dendrite, from the one's soma to the other's, and none to itself. `before`: where dendrites
// stood before the step; in a step one may leave its soma, grow, and branch.
void expect_joined(const Brain& brain, const Dendrites& before, std::set<std::int32_t>& known, bool is_torus) {
    const auto may_have_met = [&](std::int32_t of, std::int64_t cell) {
        if (distance(of, cell, is_torus) <= 3) return true;
        const auto there = before.find(of);
        return there != before.end() &&
               std::any_of(there->second.begin(), there->second.end(), [&](std::int64_t at) { return distance(at, cell, is_torus) <= 2; });
    };
    const auto soma = brain.of_cells<std::uint8_t>("soma");
    const auto terminal_of = brain.of_cells<std::int32_t>("terminal_of");
    std::set<std::int32_t> joined;
    for (const auto& [from, to, cell] : brain.joints()) {
        EXPECT_TRUE(joined.insert(cell).second) << "two synapses of cell " << cell;
        EXPECT_EQ(from, terminal_of[static_cast<std::size_t>(cell)]);
        EXPECT_TRUE(!known.insert(cell).second || may_have_met(to, cell)) << "no dendrite of " << to << " was near cell " << cell;
        EXPECT_NE(from, to);
        EXPECT_NE(soma[static_cast<std::size_t>(from)], 0);
        EXPECT_NE(soma[static_cast<std::size_t>(to)], 0);
        EXPECT_EQ(soma[static_cast<std::size_t>(cell)], 0);
    }
    EXPECT_EQ(std::count_if(terminal_of.begin(), terminal_of.end(), [](auto of) { return of >= 0; }),
              static_cast<std::ptrdiff_t>(joined.size()));
}

// Those that grow, by their ids: how many steps they have been seen in.
using Ages = std::map<std::uint64_t, int>;

void expect_within_budget(Ages& ages, std::uint64_t id, int budget, int branches) {
    EXPECT_LE(budget, growing);
    EXPECT_LE(branches, most_branches);
    EXPECT_LE(++ages[id], growing + 1) << "grows for longer than its budget";
}

struct Crowd { // in free cells, and those that are connected
    std::map<std::int64_t, int> terminals, dendrites, connected;
};

Crowd expect_grown(const Brain& brain, Ages& axon_ages, Ages& dendrite_ages) {
    const auto& world = brain.world;
    const auto soma = brain.of_cells<std::uint8_t>("soma");
    const auto terminal_of = brain.of_cells<std::int32_t>("terminal_of");
    const auto axons = world.agents("axon"), dendrites = world.agents("dendrite");
    const auto terminal = world.agent_values<std::uint8_t>("axon", "terminal"),
               connected = world.agent_values<std::uint8_t>("axon", "connected");
    const auto axon_of = world.agent_values<std::int32_t>("axon", "soma"),
               dendrite_of = world.agent_values<std::int32_t>("dendrite", "soma");
    const auto axon_budget = world.agent_values<std::uint8_t>("axon", "budget"),
               budget = world.agent_values<std::uint8_t>("dendrite", "budget");
    const auto axon_branches = world.agent_values<std::uint8_t>("axon", "branches"),
               branches = world.agent_values<std::uint8_t>("dendrite", "branches");
    Crowd crowd;
    std::map<std::int32_t, int> growing_of;
    for (std::size_t i = 0; i < axons.size(); ++i) {
        const auto at = axons.places[i];
        EXPECT_EQ(soma[static_cast<std::size_t>(at)], 0) << "an axon in a soma";
        if (connected[i] != 0) {
            ++crowd.connected[at];
            EXPECT_EQ(terminal_of[static_cast<std::size_t>(at)], axon_of[i]);
        } else if (terminal[i] != 0) {
            ++crowd.terminals[at];
            expect_within_budget(axon_ages, axons.ids[i], axon_budget[i], axon_branches[i]);
        } else
            EXPECT_EQ(++growing_of[axon_of[i]], 1) << "a soma has one axon";
    }
    for (std::size_t i = 0; i < dendrites.size(); ++i) {
        const auto at = dendrites.places[i];
        EXPECT_EQ(soma[static_cast<std::size_t>(at)], 0) << "a dendrite in a soma";
        EXPECT_LT(terminal_of[static_cast<std::size_t>(at)], 0) << "a dendrite in a cell that is taken";
        EXPECT_NE(soma[static_cast<std::size_t>(dendrite_of[i])], 0);
        ++crowd.dendrites[at];
        expect_within_budget(dendrite_ages, dendrites.ids[i], budget[i], branches[i]);
    }
    return crowd;
}

TEST(BrainGrid, GrowsWithinItsBudgetsAndJoinsEachCellOnce) {
    for (const bool is_torus : {false, true}) {
        Brain brain(is_torus ? "torus" : "open");
        expect_planned(brain, is_torus);
        Ages axons, dendrites;
        std::set<std::int32_t> known;
        for (std::uint64_t step = 1; step <= (is_torus ? 12 : 30); ++step) {
            SCOPED_TRACE(fmt::format("step {}, torus {}", step, is_torus));
            const auto before = dendrites_of(brain);
            brain.world.step_to(step);
            const auto crowd = expect_grown(brain, axons, dendrites);
            for (const auto& [at, number] : crowd.terminals) EXPECT_EQ(number, 1) << "terminals in cell " << at;
            for (const auto& [at, number] : crowd.dendrites) EXPECT_EQ(number, 1) << "dendrites in cell " << at;
            for (const auto& [at, number] : crowd.connected) EXPECT_EQ(number, 1) << "connected in cell " << at;
            expect_joined(brain, before, known, is_torus);
            ASSERT_EQ(crowd.connected.size(), brain.joints().size());
        }
        EXPECT_GT(brain.joints().size(), is_torus ? 10U : 40U);
        EXPECT_GT(axons.size(), is_torus ? 20U : 100U);
        EXPECT_EQ(brain.world.counters("synapse").refused_births, 0U);
    }
}

TEST(BrainGrid, IsTheSameOnAnyThreads) {
    Brain one("open"), three("open", 3);
    for (auto* brain : {&one, &three}) brain->world.step_to(25);
    EXPECT_EQ(three.world.hash(), one.world.hash());
}

// What a soma gives goes along each of its synapses, and is there in the next step.
TEST(BrainGrid, SendsSignalsAlongItsSynapses) {
    Brain brain("open");
    float greatest = 0;
    for (std::uint64_t step = 0; step < 40; ++step) {
        const auto before = brain.of_cells<float>("input");
        brain.world.step_to(step + 1);
        const auto soma = brain.of_cells<std::uint8_t>("soma");
        std::vector<float> output(cells);
        std::vector<double> sums(cells); // of floats not far apart: exact
        for (std::size_t i = 0; i < cells; ++i) {
            const float passed = before[i] >= 0.4f ? before[i] : 0.0f;
            if (soma[i] == 1) {
                Stream stream(key_of(3, "cell.fire", 0), number_of(i, nx), step);
                output[i] = (stream.uniform() < 0.1f ? 1.0f : 0.0f) + (1 + 0.1f) * passed;
            }
            if (soma[i] == 2) output[i] = 0.1f * passed;
            if (soma[i] == 3) output[i] = passed;
        }
        for (const auto& [from, to, cell] : brain.joints())
            sums[static_cast<std::size_t>(to)] += double{output[static_cast<std::size_t>(from)]};
        ASSERT_EQ(brain.of_cells<float>("output"), output) << step;
        std::vector<float> input(cells);
        for (std::size_t i = 0; i < cells; ++i) input[i] = static_cast<float>(sums[i]), greatest = std::max(greatest, input[i]);
        ASSERT_EQ(brain.of_cells<float>("input"), input) << step;
    }
    EXPECT_GT(greatest, 1.0f) << "signals were passed on";
}

} // namespace
} // namespace tessera::test::braingrid_test
