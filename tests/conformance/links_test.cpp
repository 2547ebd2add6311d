// Functions of places that go along links, against plain loops over the pairs of a file, and against what is known of models on networks.
// optimise: yes
#include "tests/conformance/dice.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/conformance/plain_networks.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <deque>
#include <numeric>

namespace tessera::test::links_test {
namespace {

struct Pair {
    std::int64_t from = 0, to = 0;
};
using Pairs = std::vector<Pair>;

std::string text_of(const Pairs& pairs) {
    std::string text = "# two numbers a line\n";
    for (const auto& [from, to] : pairs) text += fmt::format("{} {}\n", from, to);
    return text;
}

// Of each place those at the other ends, in the order of their numbers.
std::vector<std::vector<std::int64_t>> neighbours(const Pairs& pairs, std::size_t places) {
    std::vector<std::vector<std::int64_t>> of(places);
    for (const auto& [a, b] : pairs) {
        of[static_cast<std::size_t>(a)].push_back(b);
        if (a != b) of[static_cast<std::size_t>(b)].push_back(a);
    }
    for (auto& each : of) std::sort(each.begin(), each.end());
    return of;
}

// As the run has them.
Pairs pairs_of(const WorldUnderTest& world, const std::string& links) {
    const auto& setup = world.setup();
    const auto first = setup.column_of(require_collection(setup, links, {}), Role::link_end);
    const auto from = world.simulation().read(first), to = world.simulation().read(ColumnId(first.index() + 1));
    Pairs pairs;
    for (std::size_t i = 0; i < static_cast<std::size_t>(from.places()); ++i)
        pairs.push_back({from.data<std::int32_t>()[i], to.data<std::int32_t>()[i]});
    return pairs;
}

class Links : public OnDevice {
protected:
    [[nodiscard]] std::string file(const std::string& name, const std::string& text) const { return folder_.write(name, text).string(); }
    [[nodiscard]] std::string key(const std::string& links, const std::string& path) const {
        return fmt::format("links.{}.file=\"{}\"", links, path);
    }
    TemporaryFolder folder_;
};

// ---- an epidemic, person by person

// plugins/sir_network, written as loops.
void live(std::vector<std::uint8_t>& state, std::vector<std::uint16_t>& days, const std::vector<std::vector<std::int64_t>>& known,
          std::uint64_t step, float chance) {
    const auto before = state;
    for (std::size_t i = 0; i < state.size(); ++i) {
        if (before[i] == 1) {
            if (++days[i] >= 5) state[i] = 2;
        } else if (before[i] == 0) {
            Stream stream(key_of(1, "person.live", 0), i, step);
            for (const auto other : known[i])
                if (before[static_cast<std::size_t>(other)] == 1 && stream.uniform() < chance) state[i] = 1;
        }
    }
}

// Persons without contacts, one whom all know, loops and links that come twice; in whatever order the file has them.
TEST_P(Links, AreThoseOfTheFileInAnyOrder) {
    constexpr std::int64_t persons = 1500;
    Dice dice(3);
    Pairs pairs;
    for (std::int64_t i = 1; i < 1300; ++i) pairs.push_back({dice.below(2) == 0 ? i : 7, i == 7 ? 8 : dice.below(2) == 0 ? 7 : i / 2});
    for (const std::int64_t i : {3, 7, 40}) pairs.push_back({i, i});
    pairs.push_back({7, 9}), pairs.push_back({9, 7});
    std::uint64_t hash = 0;
    for (int order = 0; order < 3; ++order) {
        WorldUnderTest world(
            plugin("sir_network"),
            {"run.seed=1", fmt::format("places.person.count={}", persons), "places.person.init.state={random=0.05}",
             "links.contact={parallel=true, loops=true, init.chance=0.25, file=\"" + file("known.txt", text_of(pairs)) + "\"}"},
            on_this());
        auto state = world.values<std::uint8_t>("person", "state");
        auto days = world.values<std::uint16_t>("person", "days");
        const auto known = neighbours(pairs, static_cast<std::size_t>(persons));
        for (std::uint64_t k = 0; k < 12; ++k) live(state, days, known, k, 0.25f);
        world.step_to(12);
        EXPECT_EQ(world.values<std::uint8_t>("person", "state"), state);
        EXPECT_EQ(world.values<std::uint16_t>("person", "days"), days);
        if (order == 0) hash = world.hash();
        EXPECT_EQ(world.hash(), hash);
        dice.shuffle(pairs);
        for (auto& [from, to] : pairs)
            if (dice.below(2) == 0) std::swap(from, to); // a link between two has no direction
    }
}

// Nobody knows anybody: a file without links.
TEST_P(Links, MayBeNone) {
    WorldUnderTest world(
        plugin("sir_network"),
        {"places.person.count=1025", "places.person.init.state={random=0.5}", key("contact", file("none.txt", "# nobody\n"))}, on_this());
    const auto before = world.values<std::uint8_t>("person", "state");
    world.step_to(5);
    const auto after = world.values<std::uint8_t>("person", "state");
    for (std::size_t i = 0; i < before.size(); ++i) ASSERT_EQ(after[i], before[i] == 1 ? 2 : before[i]);
    EXPECT_NE(world.hash(), 0u);
}

// What a table has of each link goes with it, whichever order it has.
TEST_P(Links, HaveMembersFromATable) {
    const auto world_of = [&](const std::string& states) {
        return WorldUnderTest(plugin("sir_network"),
                              {"places.person={count=6, init.state={file=\"" + file("states.csv", states) + "\"}}",
                               key("contact", file("chances.csv", "to,chance,from\n4,0.0,5\n1,1.0,0\n0,0.0,2\n3,1.0,0\n"))},
                              on_this());
    };
    // Places without a shape have their values in a row, or in a column as a vector is written.
    EXPECT_EQ(world_of("1,0,0,0,1,0\n").values<std::uint8_t>("person", "state"), (std::vector<std::uint8_t>{1, 0, 0, 0, 1, 0}));
    for (const std::string states : {"1,0\n0,0\n1,0\n", "1\n0\n0\n0\n1\n0\n0\n"}) try {
            (void)world_of(states);
            ADD_FAILURE() << "it was not refused";
        } catch (const Error& error) {
            EXPECT_TRUE(std::string(error.what()).find("does not fit into person") != std::string::npos) << error.what();
        }
    auto world = world_of("1\n0\n0\n0\n1\n0\n");
    EXPECT_EQ(world.values<std::uint8_t>("person", "state"), (std::vector<std::uint8_t>{1, 0, 0, 0, 1, 0}));
    world.step_to(1);
    EXPECT_EQ(world.values<std::uint8_t>("person", "state"), (std::vector<std::uint8_t>{1, 1, 0, 1, 1, 0}));
    EXPECT_EQ(world.values<float>("contact", "chance"), (std::vector<float>{1, 0, 1, 0})); // by where they lead to
}

// A state goes on from a snapshot, with the lists made anew.
TEST_P(Links, GoOnFromASnapshot) {
    const std::vector<std::string> keys{"places.person.count=3000", "places.person.init.state={random=0.01}"};
    WorldUnderTest whole(plugin("sir_network"), keys, on_this());
    whole.step_to(4);
    const auto snapshot = whole.simulation().snapshot();
    whole.step_to(9);
    const auto device = open_device(GetParam(), 1);
    ThreadPool pool(1);
    Simulation simulation(whole.setup(), {device.get()}, compiler(), pool, {}, &snapshot);
    simulation.advance(9, [](std::uint64_t) { return true; });
    EXPECT_EQ(simulation.hash(), whole.hash());
}

// ---- all that functions do along links

struct Works {
    std::vector<std::int32_t> level;
    std::vector<float> force, got;
    std::vector<std::int64_t> drained, levels, order;
    std::vector<std::int32_t> pumps, high, lowest, highest, picked;
    std::vector<std::uint8_t> wet;
};
struct Tube {
    std::size_t from = 0, to = 0;
    float width = 0;
    std::array<std::int16_t, 2> bends{};
};

// A sum in chunks of 4096: 32 running sums, joined in order.
float summed(const std::vector<float>& values) {
    if (values.size() <= 32) return std::accumulate(values.begin(), values.end(), 0.0f);
    float total = 0;
    for (std::size_t first = 0; first < values.size(); first += 4096) {
        std::array<float, 32> sums{};
        for (std::size_t i = first; i < std::min(values.size(), first + 4096); ++i) sums[(i - first) % 32] += values[i];
        float chunk = 0;
        for (std::size_t lane = 0; lane < std::min<std::size_t>(32, values.size() - first); ++lane) chunk += sums[lane];
        total += chunk;
    }
    return total;
}

void fill(Works& works, const std::vector<Tube>& tubes, std::uint64_t step) { // tubes by `to`, `from`
    for (std::size_t t = 0; t < works.got.size(); ++t) {
        std::vector<const Tube*> in;
        for (const auto& tube : tubes)
            if (tube.to == t) in.push_back(&tube);
        std::vector<float> flows;
        works.pumps[t] = static_cast<std::int32_t>(in.size());
        works.high[t] = 0, works.lowest[t] = 1000, works.highest[t] = -1, works.levels[t] = 0, works.order[t] = 0, works.wet[t] = 0;
        for (const auto* tube : in) {
            const auto level = works.level[tube->from];
            flows.push_back(works.force[tube->from] * tube->width);
            works.high[t] += level > 10;
            works.wet[t] |= tube->bends[1] > 5;
            works.lowest[t] = std::min(works.lowest[t], level);
            works.highest[t] = std::max(works.highest[t], level);
            works.levels[t] += level;
            works.order[t] = (works.order[t] * 31 + static_cast<std::int64_t>(tube->from)) % 1000003;
        }
        works.got[t] += summed(flows);
        works.picked[t] =
            in.empty() ? -1
                       : static_cast<std::int32_t>(in[Stream(key_of(1, "tank.fill", 0), number_of(t, 7), step).below(in.size())]->from);
    }
}

TEST_P(Links, AreGoneAlongAsByALoop) {
    constexpr std::size_t pumps = 5200, nx = 7, ny = 9, tanks = nx * ny;
    const auto shape = reference::plane(nx, ny, Boundary::torus);
    Dice dice(9);
    std::vector<Tube> tubes;
    for (std::size_t p = 0; p < pumps; ++p) // most of them lead to one tank, and none to the last row
        for (const std::size_t to : {std::size_t{4}, static_cast<std::size_t>(dice.below(nx * (ny - 1)))})
            if (to != 4 || p % 5 != 0)
                tubes.push_back({p,
                                 to,
                                 static_cast<float>(dice.below(1000)) / 997,
                                 {static_cast<std::int16_t>(dice.below(9) - 4), static_cast<std::int16_t>(dice.below(7))}});
    std::sort(tubes.begin(), tubes.end(), [](const Tube& a, const Tube& b) { return std::pair(a.to, a.from) < std::pair(b.to, b.from); });
    tubes.erase(std::unique(tubes.begin(), tubes.end(), [](const Tube& a, const Tube& b) { return a.to == b.to && a.from == b.from; }),
                tubes.end());
    std::string table = "from;to;width;bends[0];bends[1]\n";
    auto shuffled = tubes;
    dice.shuffle(shuffled);
    for (const auto& tube : shuffled)
        table += fmt::format("{};{};{};{};{}\n", tube.from, tube.to, tube.width, tube.bends[0], tube.bends[1]);
    Pairs ropes;
    for (std::size_t t = 1; t < tanks; ++t)
        ropes.push_back({static_cast<std::int64_t>(t), t % 11 == 0 ? 3 : static_cast<std::int64_t>(t) / 3});
    const auto tied = neighbours(ropes, tanks);
    WorldUnderTest world(
        test_model("waterworks"),
        geometry("tank", shape) +
            std::vector<std::string>{fmt::format("places.pump.count={}", pumps), "places.pump.init.level={random=\"below\",n=20}",
                                     "places.pump.init.force={random=\"uniform\",low=0,high=2}", key("pipe", file("pipes.csv", table)),
                                     key("rope", file("ropes.txt", text_of(ropes))),
                                     "phase=[{callAll=\"tank.fill\"},{exchangeAll=\"*\"},{callAll=\"pump.push\"},{callAll=\"tank.sway\"},"
                                     "{exchangeAll=\"*\"}]"},
        on_this());
    Works works;
    works.level = world.values<std::int32_t>("pump", "level"), works.force = world.values<float>("pump", "force");
    works.drained.assign(pumps, 0), works.got.assign(tanks, 0);
    for (auto* of : {&works.levels, &works.order}) of->assign(tanks, 0);
    for (auto* of : {&works.pumps, &works.high, &works.lowest, &works.highest, &works.picked}) of->assign(tanks, 0);
    works.wet.assign(tanks, 0);
    for (std::uint64_t k = 0; k < 3; ++k) {
        fill(works, tubes, k);
        for (const auto& tube : tubes)
            works.drained[tube.from] += works.pumps[tube.to] * tube.bends[0] + static_cast<std::int64_t>(tube.to), ++works.level[tube.from];
        const auto before = works.got;
        for (std::size_t t = 0; t < tanks; ++t) {
            const auto x = t % nx, y = t / nx;
            const float beside = before[(y + ny - 1) % ny * nx + x] + before[y * nx + (x + nx - 1) % nx] + before[y * nx + (x + 1) % nx] +
                                 before[(y + 1) % ny * nx + x];
            std::vector<float> others;
            for (const auto other : tied[t]) others.push_back(before[static_cast<std::size_t>(other)]);
            works.got[t] = 0.5f * before[t] + 0.0625f * beside + 0.03125f * summed(others);
        }
    }
    world.step_to(3);
    EXPECT_EQ(world.values<std::int64_t>("pump", "drained"), works.drained);
    EXPECT_EQ(world.values<std::int32_t>("pump", "level"), works.level);
    expect_same(world.values<float>("tank", "got"), works.got, shape, "got");
    EXPECT_EQ(world.values<std::int32_t>("tank", "pumps"), works.pumps);
    EXPECT_EQ(world.values<std::int32_t>("tank", "high"), works.high);
    EXPECT_EQ(world.values<std::int32_t>("tank", "lowest"), works.lowest);
    EXPECT_EQ(world.values<std::int32_t>("tank", "highest"), works.highest);
    EXPECT_EQ(world.values<std::int32_t>("tank", "picked"), works.picked);
    EXPECT_EQ(world.values<std::int64_t>("tank", "levels"), works.levels);
    EXPECT_EQ(world.values<std::int64_t>("tank", "order"), works.order);
    EXPECT_EQ(world.values<std::uint8_t>("tank", "wet"), works.wet);
}

// ---- what is known of the models

// Newman 2002: an epidemic of bond percolation reaches 1 - (1 - T + T u)^k, with T = 1 - (1 - p)^days and u = (1 - T + T u)^(k - 1).
double infected_by_percolation(int contacts, double chance, int days) {
    const double t = 1 - std::pow(1 - chance, days);
    double u = 0.5;
    for (int i = 0; i < 10000; ++i) u = std::pow(1 - t + t * u, contacts - 1);
    return 1 - std::pow(1 - t + t * u, contacts);
}

TEST_P(Links, SpreadAnEpidemicAsPercolationSays) {
    struct Case {
        int contacts;
        double chance;
    };
    for (const auto& [contacts, chance] : {Case{8, 0.05}, Case{4, 0.2}}) {
        WorldUnderTest world(plugin("sir_network"),
                             {"places.person.count=100000", "places.person.init.state={random=0.001}", "run.seed=4",
                              fmt::format("links.contact={{generate={{rule=\"regular\",degree={}}},init.chance={}}}", contacts, chance)},
                             on_this());
        world.step_to(120);
        const auto state = world.values<std::uint8_t>("person", "state");
        EXPECT_EQ(std::count(state.begin(), state.end(), 1), 0);
        const auto reached = static_cast<double>(std::count(state.begin(), state.end(), 2)) / 100000;
        EXPECT_NEAR(reached, infected_by_percolation(contacts, chance, 5), 0.006) << contacts << " contacts";
    }
}

// PageRank, beside a loop over its links in doubles.
TEST_P(Links, RankPagesAsALoopDoes) {
    constexpr std::size_t pages = 400;
    WorldUnderTest world(test_shipped("bench/pagerank/pagerank.cu").string(), {"places.page.count=400", "output=[]"}, on_this());
    const auto pairs = pairs_of(world, "cites");
    std::vector<double> cited(pages), rank(pages, 1.0 / pages);
    for (const auto& [from, to] : pairs) ++cited[static_cast<std::size_t>(from)];
    for (int step = 0; step < 20; ++step) {
        std::vector<double> next(pages, 0.15 / pages);
        for (const auto& [from, to] : pairs)
            next[static_cast<std::size_t>(to)] += 0.85 * rank[static_cast<std::size_t>(from)] / cited[static_cast<std::size_t>(from)];
        rank = next;
    }
    world.step_to(20);
    const auto ranks = world.values<float>("page", "rank");
    EXPECT_GT(pairs.size(), 5000u);
    for (std::size_t page = 0; page < pages; ++page) ASSERT_NEAR(ranks[page], rank[page], 1e-5 * rank[page]) << "page " << page;
}

// All joined with all: beyond a strength of 2 they fall into step, with an order of sqrt(1 - 2 / strength); below it they do not.
TEST_P(Links, BringOscillatorsIntoStep) {
    for (const double strength : {4.0, 1.0}) {
        WorldUnderTest world(plugin("kuramoto"), {"places.oscillator.count=200", fmt::format("params.strength={}", strength), "run.seed=2"},
                             on_this());
        double order = 0;
        for (int k = 0; k < 20; ++k) {
            world.step_to(200 + 8 * static_cast<std::uint64_t>(k));
            const auto across = world.values<double>("oscillator", "across"), along = world.values<double>("oscillator", "along");
            order +=
                std::hypot(std::accumulate(across.begin(), across.end(), 0.0), std::accumulate(along.begin(), along.end(), 0.0)) / 200 / 20;
        }
        if (strength > 2)
            EXPECT_NEAR(order, std::sqrt(1 - 2 / strength), 0.06);
        else
            EXPECT_LT(order, 0.25);
    }
}

// How many are at each distance up to 3 from each person, by a queue.
std::vector<std::array<std::uint32_t, 3>> friends_by_queue(const std::vector<std::vector<std::int64_t>>& known) {
    std::vector<std::array<std::uint32_t, 3>> friends(known.size());
    for (std::size_t person = 0; person < known.size(); ++person) {
        std::vector<int> degree(known.size(), -1);
        std::deque<std::size_t> queue{person};
        degree[person] = 0;
        while (!queue.empty()) {
            const auto one = queue.front();
            queue.pop_front();
            if (degree[one] > 0) ++friends[person][static_cast<std::size_t>(degree[one] - 1)];
            if (degree[one] == 3) continue;
            for (const auto other : known[one])
                if (auto& of = degree[static_cast<std::size_t>(other)]; of < 0)
                    of = degree[one] + 1, queue.push_back(static_cast<std::size_t>(other));
        }
    }
    return friends;
}

void expect_friends(const WorldUnderTest& world, const std::vector<std::array<std::uint32_t, 3>>& friends) {
    const auto found = world.values<std::uint32_t>("person", "friends"); // a plane a degree
    ASSERT_EQ(found.size(), 3 * friends.size());
    for (std::size_t d = 0; d < 3; ++d)
        for (std::size_t i = 0; i < friends.size(); ++i)
            ASSERT_EQ(found[d * friends.size() + i], friends[i][d]) << "person " << i << ", degree " << d + 1;
}

TEST_P(Links, FindFriendsOfFriends) {
    WorldUnderTest world(plugin("social_net"), {"places.person.count=750"}, on_this());
    world.step_to(2);
    expect_friends(world, friends_by_queue(neighbours(pairs_of(world, "friend"), 750)));
    WorldUnderTest ring(plugin("social_net"), {"places.person.count=600", "links.friend.generate={rule=\"ring\",degree=4}"}, on_this());
    ring.step_to(2);
    expect_friends(ring, std::vector<std::array<std::uint32_t, 3>>(600, {4, 4, 4}));
    Pairs cube; // of nine dimensions: C(9, d) at each distance
    for (std::int64_t corner = 0; corner < 512; ++corner)
        for (int axis = 0; axis < 9; ++axis)
            if ((corner >> axis & 1) == 0) cube.push_back({corner, corner | 1 << axis});
    WorldUnderTest corners(plugin("social_net"), {"places.person.count=512", key("friend", file("cube.txt", text_of(cube)))}, on_this());
    corners.step_to(1);
    expect_friends(corners, std::vector<std::array<std::uint32_t, 3>>(512, {9, 36, 84}));
}

// ---- rules

// Each joins as many as it says: degrees, and of random links their number.
TEST_P(Links, AreMadeByRules) {
    const auto pairs = [&](const std::string& rule, int count) {
        return pairs_of(WorldUnderTest(plugin("sir_network"),
                                       {fmt::format("places.person.count={}", count), "links.contact.generate=" + rule}, on_this()),
                        "contact");
    };
    EXPECT_EQ(pairs("{rule=\"complete\"}", 50).size(), 50u * 49 / 2);
    const auto regular = pairs("{rule=\"regular\",degree=6}", 20000);
    EXPECT_EQ(regular.size(), 60000u);
    plain_networks::Pairs found;
    for (const auto& [from, to] : regular) found.emplace_back(from, to);
    EXPECT_EQ(found, plain_networks::regular({20000, false, false}, 6, plain_networks::key_of_links(1, "contact")));
    const auto random = pairs("{rule=\"random\",chance=0.01}", 2000); // 19 990 of 1 999 000, standard deviation 141
    EXPECT_NEAR(static_cast<double>(random.size()), 19990, 5 * 141);
    EXPECT_EQ(pairs("{rule=\"random\",links=3000}", 5000).size(), 3000u);
    EXPECT_EQ(pairs("{rule=\"ring\",degree=2}", 1000).size(), 1000u);
}

TESSERA_ON_EVERY_DEVICE(Links);

// Links of which there are none are columns without values, also in a snapshot.
TEST(NoLinks, AreArraysWithoutValues) {
    WorldUnderTest world(plugin("sir_network"), {"places.person.count=300", "links.contact.generate={rule=\"random\",chance=0}"});
    const auto chances = world.read("contact", "chance");
    EXPECT_EQ(chances.places(), 0);
    EXPECT_TRUE(chances.data<float>().empty());
    world.step_to(2);
    const auto snapshot = world.simulation().snapshot();
    const auto device = open_device("cpu", 1);
    ThreadPool pool(1);
    Simulation again(world.setup(), {device.get()}, compiler(), pool, {}, &snapshot);
    EXPECT_EQ(again.hash(), world.hash());
}

} // namespace
} // namespace tessera::test::links_test
