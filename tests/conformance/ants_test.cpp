// Ants that forage: against a plain sequential program, agent by agent and place by place, and what they bring home.
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <limits>
#include <numeric>

namespace tessera::test::ants_test {
namespace {

struct Ant : reference::Agent {
    std::uint8_t carries = 0;
    int heading = 0;
};

// plugins/ants, written as loops.
struct Colony {
    Shape shape;
    std::uint64_t seed = 1;
    float diffusion = 0.5f, evaporation = 0.1f, drop = 60, wiggle = 0.13f;
    std::vector<float> scent{}, home{};
    std::vector<int> food{}, pile{}, brought{};
    std::vector<Ant> all{}; // in the order of ids
    reference::Tally tally{};
    int found = 0, too_late = 0; // where food was: who had some, and who had none

    [[nodiscard]] float distance(std::size_t place, float x, float y) const {
        const auto at = static_cast<std::int64_t>(place);
        const float dx = static_cast<float>(at % shape.nx) - (1 + x) * static_cast<float>(shape.nx / 2);
        const float dy = static_cast<float>(at / shape.nx) - (1 + y) * static_cast<float>(shape.ny / 2);
        return std::sqrt(dx * dx + dy * dy);
    }
    void lay_out() {
        const auto key = key_of(seed, "ground.lay_out", 0);
        scent.assign(shape.count(), 0), brought.assign(shape.count(), 0);
        for (std::size_t i = 0; i < shape.count(); ++i) {
            home.push_back(200 - distance(i, 0, 0));
            pile.push_back(0);
            if (distance(i, -0.8f, -0.8f) < 5) pile[i] = 3;
            if (distance(i, -0.6f, 0.6f) < 5) pile[i] = 2;
            if (distance(i, 0.6f, 0) < 5) pile[i] = 1;
            food.push_back(pile[i] > 0 ? 1 + static_cast<int>(Stream(key, number_of(i, shape.nx), 0).below(2)) : 0);
        }
    }
    void step(std::uint64_t k) {
        for (auto& ant : all)
            if (ant.carries) carry(ant);
        auto left = food; // where an earlier ant has taken some there is less for a later one
        for (auto& ant : all)
            if (!ant.carries && food[ant.place] > 0) take(ant, left);
        food = left;
        for (auto& ant : all) walk(ant, k);
        reference::manage(
            all, shape, std::numeric_limits<int>::max(), [](std::uint64_t id) { return id; }, tally);
        spread();
    }

private:
    static void turn(Ant& ant, int by) { ant.heading = (ant.heading + by + 8) % 8; }

    void carry(Ant& ant) {
        if (home[ant.place] <= 195) {
            scent[ant.place] += drop;
            return;
        }
        ++brought[ant.place];
        ant.carries = 0;
        turn(ant, 4);
    }
    void take(Ant& ant, std::vector<int>& left) {
        ++(left[ant.place] > 0 ? found : too_late);
        if (left[ant.place] == 0) return;
        --left[ant.place];
        ant.carries = 1;
        turn(ant, 4);
    }
    // East is 0; each is the one before it, turned to the right by 45 degrees, with y downward.
    static reference::Offset way(int heading) {
        reference::Offset ahead{1, 0};
        for (int i = 0; i < (heading + 8) % 8; ++i) {
            const auto x = ahead.x - ahead.y, y = ahead.x + ahead.y;
            ahead = {(x > 0) - (x < 0), (y > 0) - (y < 0)};
        }
        return ahead;
    }
    [[nodiscard]] float smell(const Ant& ant, int heading) const {
        const auto at = static_cast<std::int64_t>(ant.place);
        const auto by = way(heading);
        return look(ant.carries ? home : scent, shape, at % shape.nx + by.x, at / shape.nx + by.y, 0, 0.0f, 0.0f).value;
    }
    void walk(Ant& ant, std::uint64_t k) {
        Stream stream(key_of(seed, "ant.walk", 0), ant.id, k);
        const float here = scent[ant.place], left = smell(ant, ant.heading - 1), ahead = smell(ant, ant.heading),
                    right = smell(ant, ant.heading + 1);
        int by = 0;
        if (ant.carries || (here >= 0.05f && here < 2)) {
            if (right > ahead && right > left) by = 1;
            if (left > ahead && right <= left) by = -1;
        }
        if (ant.refused) by = 4;
        if (stream.uniform() < wiggle) by += stream.uniform() < 0.5f ? 1 : -1;
        turn(ant, by);
        ant.move_request = way(ant.heading);
    }
    void spread() {
        const auto before = scent;
        for (std::size_t i = 0; i < shape.count(); ++i) {
            const auto x = static_cast<std::int64_t>(i) % shape.nx, y = static_cast<std::int64_t>(i) / shape.nx;
            float gained = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    const auto other = look(before, shape, x + dx, y + dy, 0, 0.0f, 0.0f);
                    if ((dx != 0 || dy != 0) && other.exists) gained += other.value - before[i];
                }
            scent[i] = (before[i] + diffusion / 8 * gained) * (1 - evaporation);
        }
    }
};

class Ants : public OnDevice {
protected:
    static std::vector<std::string> keys(const Colony& colony, int ants) {
        const auto x = colony.shape.nx / 2, y = colony.shape.ny / 2;
        return geometry("ground", colony.shape) +
               std::vector{fmt::format("run.seed={}", colony.seed), fmt::format("agents.ant.count={}", ants),
                           fmt::format("agents.ant.place.box=[[{},{}],[{},{}]]", x, y, x + 1, y + 1),
                           fmt::format("params={{diffusion={},evaporation={},drop={},wiggle={}}}", colony.diffusion, colony.evaporation,
                                       colony.drop, colony.wiggle)};
    }
    static void expect(const WorldUnderTest& world, const Colony& colony) {
        expect_same(world.values<float>("ground", "scent"), colony.scent, colony.shape, "scent");
        expect_same(world.values<float>("ground", "home"), colony.home, colony.shape, "home");
        expect_same(world.values<int>("ground", "food"), colony.food, colony.shape, "food");
        expect_same(world.values<int>("ground", "pile"), colony.pile, colony.shape, "pile");
        expect_same(world.values<int>("ground", "brought"), colony.brought, colony.shape, "brought");
        expect_agents(world, "ant", colony.all, member("carries", &Ant::carries), member("heading", &Ant::heading));
        expect_counted(world.counters("ant"), colony.tally);
    }
    static void compare(Colony colony, int ants, std::uint64_t steps, const Options& options) {
        WorldUnderTest world(plugin("ants"), keys(colony, ants), options);
        colony.all = agents_of<Ant>(world, "ant");
        take_member(colony.all, &Ant::heading, world, "ant", "heading");
        for (const auto& ant : colony.all) ASSERT_EQ(ant.place, colony.shape.index(colony.shape.nx / 2, colony.shape.ny / 2));
        colony.lay_out();
        expect(world, colony);
        for (std::uint64_t k = 0; k < steps && !HasFailure(); ++k) {
            colony.step(k);
            if (k > 2 && k % 9 != 5 && k + 1 < steps) continue;
            world.step_to(k + 1);
            expect(world, colony);
            if (HasFailure()) FAIL() << "after step " << k;
        }
        const bool edges = colony.shape.x != Boundary::torus || colony.shape.y != Boundary::torus;
        EXPECT_EQ(colony.tally.refused > 0, edges);
        for (const int happened : {colony.found, colony.too_late, std::accumulate(colony.brought.begin(), colony.brought.end(), 0)})
            EXPECT_GT(happened, 0);
    }
};

TEST_P(Ants, AreThoseOfAPlainProgram) { compare({reference::plane(67, 59, Boundary::open)}, 131, 250, on_this()); }

TEST_P(Ants, GoRoundATorus) {
    Colony colony{reference::plane(43, 37, Boundary::torus), 5};
    colony.drop = 7.3f, colony.wiggle = 0.4f, colony.diffusion = 0.9f;
    compare(colony, 301, 220, on_this());
}

TEST_P(Ants, TurnAtEdgesOfOtherKinds) {
    Colony colony{{53, 41, 1, Boundary::fixed, Boundary::reflect}, 2};
    colony.evaporation = 0.03f;
    compare(colony, 203, 220, on_this());
}

TESSERA_ON_EVERY_DEVICE(Ants);

// ---- what they bring home, with the parameters of the model

// As shares of what there was at the start.
struct Shares {
    double brought = 0;
    std::array<double, 3> left{}; // of each pile
};

class AntsInTime : public ::testing::Test {
protected:
    // Several seeds', each after so many steps.
    static std::vector<Shares> after(const std::vector<std::uint64_t>& steps, const std::string& drop) {
        constexpr int seeds = 6;
        std::vector<Shares> mean(steps.size());
        for (int seed = 1; seed <= seeds; ++seed) {
            WorldUnderTest world(plugin("ants"), {"params.drop=" + drop, fmt::format("run.seed={}", seed)});
            const auto pile = world.values<int>("ground", "pile"), there_was = world.values<int>("ground", "food");
            for (std::size_t i = 0; i < steps.size(); ++i) {
                world.step_to(steps[i]);
                const auto food = world.values<int>("ground", "food"), brought = world.values<int>("ground", "brought");
                const double all = total(there_was);
                mean[i].brought += total(brought) / all / seeds;
                for (int p = 1; p <= 3; ++p)
                    mean[i].left[static_cast<std::size_t>(p - 1)] += total(food, pile, p) / total(there_was, pile, p) / seeds;
                const auto carries = world.agent_values<std::uint8_t>("ant", "carries");
                EXPECT_EQ(total(food) + total(brought) + std::accumulate(carries.begin(), carries.end(), 0), all) << "seed " << seed;
            }
        }
        return mean;
    }

private:
    static double total(const std::vector<int>& values) { return std::accumulate(values.begin(), values.end(), 0); }
    static double total(const std::vector<int>& values, const std::vector<int>& pile, int of) {
        double sum = 0;
        for (std::size_t i = 0; i < values.size(); ++i) sum += pile[i] == of ? values[i] : 0;
        return sum;
    }
};

// Over 100 seeds, of the three piles 0.4, 30 and 79 % are left after 200 steps, and 97 % of all has been brought home after 1000.
TEST_F(AntsInTime, EmptyTheNearestPileFirst) {
    const auto mean = after({200, 1000}, "60");
    EXPECT_LT(mean[0].left[0], 0.1);
    EXPECT_GT(mean[0].left[1], mean[0].left[0] + 0.1);
    EXPECT_GT(mean[0].left[2], mean[0].left[1] + 0.2);
    EXPECT_GT(mean[1].brought, 0.85);
}

// Who leaves none, and so finds food by chance alone, takes evenly from all: 43, 56 and 73 % are left.
TEST_F(AntsInTime, AreFasterByTheScent) {
    const auto with = after({200}, "60"), without = after({200}, "0");
    EXPECT_GT(with[0].brought, without[0].brought + 0.1); // 0.59 and 0.38
    EXPECT_GT(without[0].left[0], 0.3);
}

} // namespace
} // namespace tessera::test::ants_test
