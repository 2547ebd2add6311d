// Wolves, sheep and grass: against a plain sequential program, agent by agent, and how their numbers go up and down.
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/known_run.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tessera::test::wolf_sheep_test {
namespace {

struct Animal : reference::Agent {
    float energy = 0;
};

// What there is of a type of animals, with what its phases have in common.
struct Flock {
    std::string name;
    int room = 8;
    float births = 0, meal = 0;
    std::vector<Animal> all{};
    std::vector<reference::Wanted<Animal>> young{};
    std::uint64_t cycles = 0;
    reference::Tally tally{};

    void feed_first(std::uint64_t seed) {
        for (auto& animal : all)
            animal.energy =
                static_cast<float>(1 + Stream(key_of(seed, name + ".feed", 0), animal.id, 0).below(2 * static_cast<std::uint64_t>(meal)));
    }
    void walk(std::uint64_t seed, std::uint64_t k) {
        const reference::Offset around[] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
        for (auto& animal : all) {
            animal.move_request = around[Stream(key_of(seed, name + ".walk", 0), animal.id, k).below(8)];
            animal.energy -= 1;
        }
    }
    // Starves, or may have young ones.
    void live(Animal& animal, const std::string& function, std::uint64_t seed, std::uint64_t k, bool starves) {
        animal.dying = starves;
        if (starves || Stream(key_of(seed, function, 0), animal.id, k).uniform() >= births) return;
        animal.energy /= 2;
        Animal child;
        child.energy = animal.energy;
        young.push_back({1, animal.id, 0, animal.place, child});
    }
    // Those of a step are numbered whichever agents they are for; some cannot spawn.
    void manage(const Shape& shape, std::uint64_t seed, std::uint64_t k, std::uint64_t nth, bool spawns) {
        const auto priority = drawn_priority(seed, name, nth, k);
        reference::manage(all, shape, room, priority, tally);
        if (spawns) reference::spawn(all, young, shape, room, priority, ++cycles, tally);
    }
};

// plugins/wolf_sheep, written as loops.
struct Meadow {
    Shape shape;
    std::uint64_t seed = 1;
    int regrow = 10;
    Flock sheep{"sheep", 8, 0.4f, 5}, wolves{"wolf", 8, 0.2f, 13};
    std::vector<std::uint8_t> countdown{};

    void start() {
        const auto key = key_of(seed, "grass.sow", 0);
        countdown.assign(shape.count(), 0);
        for (std::size_t i = 0; i < shape.count(); ++i) {
            Stream stream(key, number_of(i, shape.nx), 0);
            if (stream.uniform() < 0.5f) countdown[i] = static_cast<std::uint8_t>(1 + stream.below(static_cast<std::uint64_t>(regrow)));
        }
        sheep.feed_first(seed), wolves.feed_first(seed);
    }
    void step(std::uint64_t k) {
        sheep.walk(seed, k), wolves.walk(seed, k);
        sheep.manage(shape, seed, k, 0, false), wolves.manage(shape, seed, k, 0, false);
        graze(k);
        sheep.manage(shape, seed, k, 1, true);
        hunt(k);
        sheep.manage(shape, seed, k, 2, false), wolves.manage(shape, seed, k, 2, true);
        for (auto& bare : countdown) bare = static_cast<std::uint8_t>(std::max(0, bare - 1));
    }

private:
    void graze(std::uint64_t k) {
        const auto ranks = reference::ranks_of(sheep.all);
        const auto before = countdown;
        for (std::size_t i = 0; i < sheep.all.size(); ++i) {
            auto& one = sheep.all[i];
            if (ranks[i] == 0 && before[one.place] == 0)
                one.energy += sheep.meal, countdown[one.place] = static_cast<std::uint8_t>(regrow + 1);
            sheep.live(one, "sheep.graze", seed, k, one.energy < 1);
        }
    }
    // On each place the n-th wolf has the n-th sheep, as long as there are any.
    void hunt(std::uint64_t k) {
        const auto there_are_sheep = reference::residents(sheep.all, shape), there_are_wolves = reference::residents(wolves.all, shape);
        const auto ranks_of_sheep = reference::ranks_of(sheep.all), ranks_of_wolves = reference::ranks_of(wolves.all);
        for (std::size_t i = 0; i < sheep.all.size(); ++i) sheep.all[i].dying = ranks_of_sheep[i] < there_are_wolves[sheep.all[i].place];
        for (std::size_t i = 0; i < wolves.all.size(); ++i) {
            auto& wolf = wolves.all[i];
            if (ranks_of_wolves[i] < there_are_sheep[wolf.place]) wolf.energy += wolves.meal;
            wolves.live(wolf, "wolf.hunt", seed, k, wolf.energy < 0);
        }
    }
};

class WolvesAndSheep : public OnDevice {
protected:
    static std::vector<std::string> keys(const Meadow& meadow, int sheep, int wolves) {
        return geometry("grass", meadow.shape) +
               std::vector{fmt::format("run.seed={}", meadow.seed),
                           fmt::format("params={{regrow={},grass_energy={},sheep_energy={},sheep_births={},wolf_births={}}}", meadow.regrow,
                                       meadow.sheep.meal, meadow.wolves.meal, meadow.sheep.births, meadow.wolves.births),
                           fmt::format("agents.sheep={{count={},capacity={},on_edge=\"refuse\"}}", sheep, meadow.sheep.room),
                           fmt::format("agents.wolf={{count={},capacity={},on_edge=\"refuse\"}}", wolves, meadow.wolves.room)};
    }
    static void expect(const WorldUnderTest& world, const Meadow& meadow) {
        expect_same(world.values<std::uint8_t>("grass", "countdown"), meadow.countdown, meadow.shape, "countdown");
        for (const auto* flock : {&meadow.sheep, &meadow.wolves}) {
            expect_agents(world, flock->name, flock->all, member("energy", &Animal::energy));
            expect_counted(world.counters(flock->name), flock->tally);
        }
    }
    static void compare(Meadow meadow, int sheep, int wolves, std::uint64_t steps, const Options& options) {
        WorldUnderTest world(plugin("wolf_sheep"), keys(meadow, sheep, wolves), options);
        meadow.sheep.all = agents_of<Animal>(world, "sheep");
        meadow.wolves.all = agents_of<Animal>(world, "wolf");
        meadow.start();
        expect(world, meadow);
        for (std::uint64_t k = 0; k < steps && !HasFailure(); ++k) {
            meadow.step(k);
            if (k > 2 && k % 9 != 5 && k + 1 < steps) continue;
            world.step_to(k + 1);
            expect(world, meadow);
            if (HasFailure()) FAIL() << "after step " << k;
        }
        for (const auto* flock : {&meadow.sheep, &meadow.wolves}) {
            EXPECT_FALSE(flock->all.empty());
            for (const auto happened : {flock->tally.born, flock->tally.died, flock->tally.moved}) EXPECT_GT(happened, 0u);
        }
        EXPECT_EQ(meadow.sheep.tally.not_born > 0, meadow.sheep.room < 8); // sheep that are crowded
    }
};

TEST_P(WolvesAndSheep, AreThoseOfAPlainProgram) { compare({reference::plane(67, 59, Boundary::torus)}, 395, 198, 220, on_this()); }

TEST_P(WolvesAndSheep, CrowdEachOther) {
    Meadow meadow{reference::plane(43, 61, Boundary::torus), 5, 4};
    meadow.sheep.room = meadow.wolves.room = 2;
    compare(meadow, 900, 100, 100, on_this());
}

TEST_P(WolvesAndSheep, LiveInAPenToo) {
    Meadow meadow{reference::plane(31, 47, Boundary::open), 2, 7};
    meadow.sheep.room = 3;
    compare(meadow, 500, 60, 60, on_this());
}

TEST_P(WolvesAndSheep, OfDoctorAreKnown) {
    const auto& known = known_run("wolves and sheep in slots");
    Meadow meadow{reference::plane(67, 59, Boundary::torus)};
    WorldUnderTest world(plugin(known.model), known.overrides, on_this());
    meadow.sheep.all = agents_of<Animal>(world, "sheep");
    meadow.wolves.all = agents_of<Animal>(world, "wolf");
    meadow.start();
    for (std::uint64_t k = 0; k < known.steps; ++k) meadow.step(k);
    world.step_to(known.steps);
    expect(world, meadow);
    expect_known(world, known);
}

TESSERA_ON_EVERY_DEVICE(WolvesAndSheep);

// ---- how their numbers go up and down, with the parameters of examples/wolf_sheep

using Numbers = std::vector<double>; // a step

// Of one after `lag` steps and the other.
double correlation(const Numbers& first, const Numbers& then, std::ptrdiff_t lag) {
    double n = 0, a = 0, b = 0, aa = 0, bb = 0, ab = 0;
    for (std::ptrdiff_t t = std::max<std::ptrdiff_t>(0, -lag); t < std::ssize(first) && t + lag < std::ssize(then); ++t) {
        const double x = first[static_cast<std::size_t>(t)], y = then[static_cast<std::size_t>(t + lag)];
        n += 1, a += x, b += y, aa += x * x, bb += y * y, ab += x * y;
    }
    return (n * ab - a * b) / std::sqrt((n * aa - a * a) * (n * bb - b * b));
}

// The wolves' numbers follow the sheep's a quarter of a period later, and neither dies out. A period is about 220 steps.
TEST(WolvesAndSheepInTime, FollowEachOtherUpAndDown) {
    constexpr int sheep = 720, wolves = 180;
    for (const int seed : {1, 2, 3}) {
        WorldUnderTest world(plugin("wolf_sheep"),
                             {"places.grass.size=[90,80]", "params={sheep_energy=20,sheep_births=0.05,wolf_births=0.05}",
                              fmt::format("agents.sheep.count={}", sheep), fmt::format("agents.wolf.count={}", wolves),
                              fmt::format("run.seed={}", seed)});
        const auto now = [&](const char* name, int first) {
            const auto counted = world.counters(name);
            return first + static_cast<double>(counted.born) - static_cast<double>(counted.died);
        };
        Numbers of_sheep, of_wolves;
        for (std::uint64_t step = 100; step <= 600; ++step) { // when the first numbers no longer tell
            world.step_to(step);
            of_sheep.push_back(now("sheep", sheep)), of_wolves.push_back(now("wolf", wolves));
        }
        std::ptrdiff_t best = 0;
        for (std::ptrdiff_t lag = -100; lag <= 100; ++lag)
            if (correlation(of_sheep, of_wolves, lag) > correlation(of_sheep, of_wolves, best)) best = lag;
        EXPECT_GT(best, 40) << "seed " << seed;
        EXPECT_LT(best, 80) << "seed " << seed;
        EXPECT_GT(correlation(of_sheep, of_wolves, best), 0.85) << "seed " << seed;
        for (const auto* numbers : {&of_sheep, &of_wolves}) {
            const auto [least, most] = std::minmax_element(numbers->begin(), numbers->end());
            EXPECT_GT(*least, 0) << "seed " << seed;
            EXPECT_GT(*most, 4 * *least) << "seed " << seed; // and not only a little
        }
    }
}

} // namespace
} // namespace tessera::test::wolf_sheep_test
