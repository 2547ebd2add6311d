// Values of a step, and repeats that go on until something holds, against plain sequential programs: sums in 113 bits, where all of these
// are exact.
#include "device_runtime/error.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/leaving_out.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace tessera::test::reduces_test {
namespace {

__extension__ typedef __float128 Exact;

// The numbers' sum, rounded once; in 113 bits no addition on the way is rounded, or the test says so.
double exact_sum(const std::vector<double>& numbers) {
    Exact sum = 0;
    for (const double x : numbers) {
        const Exact next = sum + x;
        EXPECT_TRUE(next - sum == Exact(x) && next - x == sum) << static_cast<double>(sum) << " + " << x << " needs more bits";
        sum = next;
    }
    return static_cast<double>(sum);
}

template<class Things, class Of> std::vector<double> numbers(const Things& things, const Of& of) {
    std::vector<double> all;
    for (const auto& thing : things) all.push_back(of(thing));
    return all;
}

// What is seen at an offset: beyond a mirror the grid again, beyond constants nothing.
std::optional<std::size_t> seen_at(const Shape& shape, std::size_t place, std::int64_t dx, std::int64_t dy) {
    const auto here = static_cast<std::int64_t>(place);
    const auto x = reference::follow(here % shape.nx + dx, shape.nx, shape.x),
               y = reference::follow(here / shape.nx + dy, shape.ny, shape.y);
    if (x < 0 || x >= shape.nx || y < 0 || y >= shape.ny) return std::nullopt;
    return shape.index(x, y, 0);
}
// In the order of von_neumann.
double sum_around(const Shape& shape, const std::vector<double>& values, std::size_t place) {
    double sum = 0;
    for (const auto& [dx, dy] : {std::pair(0, -1), std::pair(-1, 0), std::pair(1, 0), std::pair(0, 1)})
        if (const auto there = seen_at(shape, place, dx, dy)) sum += values[*there];
    return sum;
}

// ---- places

// tests/models/furnace, written as loops.
struct Furnace {
    Shape shape;
    std::uint64_t seed = 1;
    std::vector<double> heat{}, change{};
    std::vector<float> load[3]{};
    std::vector<std::int32_t> count{};
    std::vector<bool> lit{};
    std::uint64_t unresolved = 0, rounds = 0;

    void step(std::uint64_t k) {
        const auto n = shape.count();
        const double mean = exact_sum(heat) / static_cast<double>(n);
        const auto hottest = static_cast<float>(*std::max_element(heat.begin(), heat.end()));
        const auto lights = static_cast<std::uint16_t>(std::count(lit.begin(), lit.end(), true));
        const auto key = key_of(seed, "plate.heat_up", 0);
        for (std::size_t i = 0; i < n; ++i) {
            Stream stream(key, number_of(i, shape.nx), k);
            const double way = mean - heat[i];
            heat[i] += way * 0.25 + (stream.below(16) == 0 ? 10.0 : 0.0);
            count[i] += lights % 5 - 2;
            lit[i] = heat[i] * 1.5 > static_cast<double>(hottest);
            change[i] = 100;
        }
        relax();
        std::int64_t lowest = std::numeric_limits<std::int64_t>::max(), all = 0;
        int odd = 0;
        for (std::size_t i = 0; i < n; ++i) {
            lowest = std::min<std::int64_t>(lowest, std::int64_t{count[i]} * count[i] - 7);
            all += count[i];
            odd += count[i] % 2 != 0 && !lit[i] ? 1 : 0;
        }
        lowest += 2 * all - static_cast<std::int64_t>(k);
        const double loads = exact_sum(numbers(load[2], [](float x) { return static_cast<double>(x); }));
        const double worth = loads - static_cast<double>(all) / static_cast<double>(n) * exact_sum(heat);
        for (std::size_t i = 0; i < n; ++i) {
            load[2][i] = static_cast<float>(worth) * 0.0001f + load[0][i];
            load[0][i] = load[1][i] * 0.5f;
            count[i] += static_cast<std::int32_t>(lowest % 3) + odd % 1000 % 2;
        }
    }

private:
    void relax() {
        const auto is_over = [&] {
            return *std::max_element(change.begin(), change.end()) < 4 || *std::min_element(heat.begin(), heat.end()) > 1000;
        };
        int round = 0;
        for (; round < 3 && !is_over(); ++round, ++rounds) {
            const auto before = heat;
            for (std::size_t i = 0; i < shape.count(); ++i) {
                heat[i] = before[i] * 0.5 + sum_around(shape, before, i) * 0.125;
                change[i] = heat[i] < before[i] ? before[i] - heat[i] : heat[i] - before[i];
            }
        }
        unresolved += round == 3 && !is_over() ? 1 : 0;
    }
};

// How often the question of a run's repeat was not answered yes behind its most rounds; and rounds that were made.
std::pair<std::uint64_t, std::uint64_t> unresolved_of(const WorldUnderTest& world, const std::string& in_each_round) {
    std::pair<std::uint64_t, std::uint64_t> counts;
    for (const auto& timing : world.simulation().timings()) {
        counts.first += timing.unresolved;
        if (timing.name == in_each_round) counts.second += timing.runs;
    }
    return counts;
}

class Reduces : public OnDevice {
protected:
    static void compare(Furnace furnace, std::uint64_t steps, const Options& options, const std::vector<std::string>& more = {}) {
        auto keys = geometry("plate", furnace.shape);
        keys.push_back(fmt::format("run.seed={}", furnace.seed));
        keys.insert(keys.end(), more.begin(), more.end());
        WorldUnderTest world(test_model("furnace"), keys, options);
        const auto n = furnace.shape.count();
        const auto load = world.values<float>("plate", "load");
        for (std::size_t e = 0; e < 3; ++e)
            furnace.load[e].assign(load.begin() + static_cast<std::ptrdiff_t>(e * n),
                                   load.begin() + static_cast<std::ptrdiff_t>((e + 1) * n));
        furnace.heat = world.values<double>("plate", "heat");
        furnace.change = world.values<double>("plate", "change");
        furnace.count = world.values<std::int32_t>("plate", "count");
        furnace.lit = world.values<bool>("plate", "lit");
        for (std::uint64_t k = 0; k < steps; ++k) {
            furnace.step(k);
            if (k % 5 != 2 && k + 1 != steps && k > 1) continue; // several steps at a time
            world.step_to(k + 1);
            expect_same(world.values<double>("plate", "heat"), furnace.heat, furnace.shape, "heat");
            expect_same(world.values<double>("plate", "change"), furnace.change, furnace.shape, "change");
            expect_same(world.values<std::int32_t>("plate", "count"), furnace.count, furnace.shape, "count");
            EXPECT_EQ(world.values<bool>("plate", "lit"), furnace.lit);
            std::vector<float> all;
            for (const auto& element : furnace.load) all.insert(all.end(), element.begin(), element.end());
            EXPECT_EQ(world.values<float>("plate", "load"), all);
            if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "after step " << k;
        }
        EXPECT_EQ(unresolved_of(world, "callAll plate.relax"), std::pair(furnace.unresolved, furnace.rounds));
        EXPECT_GT(furnace.unresolved, 0u); // sometimes, and not always
        EXPECT_LT(furnace.rounds, 3 * steps);
    }
};

TEST_P(Reduces, OfPlacesAreThoseOfAPlainProgram) { compare({reference::plane(47, 39, Boundary::torus)}, 40, on_this()); }

// Rounds that are given to a GPU before it is known whether they are made: here, to a CPU that looks itself which those are.
TEST_P(Reduces, LeaveOutRoundsThatAreNotMade) {
    if (!on_cpu()) GTEST_SKIP() << "a GPU does so in the other tests";
    LeavingOut gpu;
    auto options = on_this();
    options.wrap = [&](std::unique_ptr<Device> device) { return gpu.in_front_of(std::move(device)); };
    compare({reference::plane(47, 39, Boundary::torus)}, 40, options);
    EXPECT_GT(gpu.left_out, 0);
}

TEST_P(Reduces, GoThroughAnyViewAndBoundary) {
    const auto view = on_cpu() ? "schedule.view=\"direct\"" : "schedule.view=\"window\"";
    compare({{33, 21, 1, Boundary::reflect, Boundary::fixed}, 5}, 30, on_this(), {view});
    compare({{70, 9, 1, Boundary::open, Boundary::open}, 6}, 30, on_this());
}

// ---- agents

struct Bidder : reference::Agent {
    double wealth = 10;
    std::int32_t age = 0;
    std::uint8_t tries = 0;
    std::uint8_t open = 0; // or 1
};

// tests/models/auction, written as loops.
struct Auction {
    Shape shape;
    std::uint64_t seed = 1;
    static constexpr int any = 1 << 30;
    int capacity = 2; // `any` number: they stand in a list
    std::vector<double> price{};
    std::vector<std::int32_t> visits{};
    std::vector<Bidder> bidders{};
    reference::Tally tally{};
    std::uint64_t unresolved = 0, rounds = 0;

    void step(std::uint64_t k) {
        const double total = exact_sum(numbers(bidders, [](const Bidder& b) { return b.wealth; }));
        const auto alive = static_cast<std::int32_t>(bidders.size());
        double poorest = std::numeric_limits<double>::infinity();
        for (const auto& bidder : bidders) poorest = std::min(poorest, bidder.wealth);
        const auto key = key_of(seed, "bidder.enter", 0);
        for (auto& bidder : bidders) {
            Stream stream(key, bidder.id, k);
            bidder.wealth = bidder.wealth * 0.75 + total / alive * 0.25 + price[bidder.place] * stream.uniform();
            bidder.age += 1;
            bidder.tries = 0;
            bidder.open = stream.below(4) > 0 ? 1 : 0;
            if (bidder.age > 3 && bidder.wealth < poorest * 1.2) bidder.dying = true;
            const auto dx = static_cast<int>(stream.below(3)) - 1, dy = static_cast<int>(stream.below(3)) - 1;
            if (dx != 0 || dy != 0) bidder.move_request = Offset{dx, dy, 0};
        }
        manage(k, 0);
        std::uint16_t open = open_now();
        const auto most = *std::max_element(price.begin(), price.end()) + static_cast<double>(bidders.size()) * 0.25;
        std::uint64_t round = 0;
        for (; round < 6 && open_now() > 0; ++round, ++rounds) {
            bid(k, round, open);
            manage(k, 1 + round);
            follow(static_cast<float>(most), alive);
            open = open_now();
        }
        unresolved += round == 6 && open_now() > 0 ? 1 : 0;
    }

private:
    using Offset = reference::Offset;
    [[nodiscard]] std::uint16_t open_now() const {
        return static_cast<std::uint16_t>(std::count_if(bidders.begin(), bidders.end(), [](const Bidder& b) { return b.open != 0; }));
    }
    void bid(std::uint64_t k, std::uint64_t round, std::uint16_t open) {
        const auto key = key_of(seed, "bidder.bid", round);
        for (auto& bidder : bidders) {
            Stream stream(key, bidder.id, k);
            if (bidder.open != 0 && stream.below(3) > 0) bidder.open = 0;
            bidder.tries += 1;
            bidder.wealth += open * 0.001;
            if (bidder.open != 0) bidder.move_request = Offset{1, 0, 0};
        }
    }
    void follow(float dearest, std::int32_t alive) {
        const auto there_are = reference::residents(bidders, shape);
        const auto before = price;
        for (std::size_t i = 0; i < shape.count(); ++i) {
            visits[i] += there_are[i] + alive % 3;
            price[i] = before[i] * 0.5 + sum_around(shape, before, i) * 0.0625 + static_cast<double>(dearest) * 0.125;
        }
    }
    void manage(std::uint64_t k, std::uint64_t nth) {
        reference::manage(bidders, shape, capacity, drawn_priority(seed, "bidder", nth, k), tally);
    }
};

class ReducesOfAgents : public OnDevice {
protected:
    static void compare(Auction auction, int bidders, std::uint64_t steps, const Options& options) {
        auto keys = geometry("stall", auction.shape);
        keys.push_back(fmt::format("run.seed={}", auction.seed));
        keys.push_back(fmt::format("agents.bidder={{count={},capacity={},init={{wealth={{random=\"uniform\",low=1,high=50}}}}}}", bidders,
                                   auction.capacity == Auction::any ? "\"unlimited\"" : std::to_string(auction.capacity)));
        WorldUnderTest world(test_model("auction"), keys, options);
        auction.price = world.values<double>("stall", "price");
        auction.visits = world.values<std::int32_t>("stall", "visits");
        auction.bidders = agents_of<Bidder>(world, "bidder");
        take_member(auction.bidders, &Bidder::wealth, world, "bidder", "wealth");
        for (std::uint64_t k = 0; k < steps; ++k) {
            auction.step(k);
            if (k % 5 != 2 && k + 1 != steps && k > 1) continue;
            world.step_to(k + 1);
            expect_same(world.values<double>("stall", "price"), auction.price, auction.shape, "price");
            expect_same(world.values<std::int32_t>("stall", "visits"), auction.visits, auction.shape, "visits");
            expect_agents(world, "bidder", auction.bidders, member("wealth", &Bidder::wealth), member("age", &Bidder::age),
                          member("tries", &Bidder::tries), member("open", &Bidder::open));
            if (HasFatalFailure() || HasNonfatalFailure()) FAIL() << "after step " << k;
        }
        expect_counted(world.counters("bidder"), auction.tally);
        EXPECT_EQ(unresolved_of(world, "callAll bidder.bid"), std::pair(auction.unresolved, auction.rounds));
        EXPECT_GT(auction.unresolved, 0u); // sometimes, and not always
        EXPECT_LT(auction.unresolved, steps);
        EXPECT_GT(auction.tally.died, 0u);
    }
};

TEST_P(ReducesOfAgents, InSlotsAreThoseOfAPlainProgram) {
    compare({reference::plane(31, 43, Boundary::torus)}, 300, 40, on_this());
    Auction alone{reference::plane(37, 29, Boundary::torus), 4};
    alone.capacity = 1;
    compare(alone, 400, 30, on_this());
}

TEST_P(ReducesOfAgents, InAListAreThoseOfAPlainProgram) {
    Auction in_a_list{reference::plane(31, 43, Boundary::torus), 3};
    in_a_list.capacity = Auction::any;
    compare(in_a_list, 300, 40, on_this());
}

TEST_P(ReducesOfAgents, LeaveOutRoundsThatAreNotMade) {
    if (!on_cpu()) GTEST_SKIP() << "a GPU does so in the other tests";
    Auction in_slots{reference::plane(31, 43, Boundary::torus)}, in_a_list{reference::plane(31, 43, Boundary::torus), 3};
    in_a_list.capacity = Auction::any;
    for (const auto& auction : {in_slots, in_a_list}) {
        LeavingOut gpu;
        auto options = on_this();
        options.wrap = [&](std::unique_ptr<Device> device) { return gpu.in_front_of(std::move(device)); };
        compare(auction, 300, 40, options);
        EXPECT_GT(gpu.left_out, 0);
    }
}

TESSERA_ON_EVERY_DEVICE(Reduces);
TESSERA_ON_EVERY_DEVICE(ReducesOfAgents);

} // namespace
} // namespace tessera::test::reduces_test
