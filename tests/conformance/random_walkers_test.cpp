// Walkers that go about at random, have children and die, against a plain sequential program: agent by agent.
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/known_run.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::test::random_walkers_test {
namespace {

struct Walker : reference::Agent {
    std::uint32_t steps = 0;
};

// plugins/random_walk, written as a loop.
struct Walkers {
    Shape shape;
    std::uint64_t seed = 1;
    int room = 8;
    float birth = 0.02f, death = 0.02f;
    std::vector<std::uint32_t> visits{};
    std::vector<Walker> all{};
    reference::Tally tally{};

    void step(std::uint64_t k) {
        const auto key = key_of(seed, "walker.walk", 0);
        std::vector<reference::Wanted<Walker>> children;
        for (auto& walker : all) {
            Stream stream(key, walker.id, k);
            ++visits[walker.place];
            ++walker.steps;
            const reference::Offset around[] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};
            walker.move_request = around[stream.below(8)];
            if (stream.uniform() < birth) children.push_back({1, walker.id, 0, walker.place, {}});
            walker.dying = stream.uniform() < death;
        }
        const auto priority = drawn_priority(seed, "walker", 0, k);
        reference::manage(all, shape, room, priority, tally);
        reference::spawn(all, children, shape, room, priority, k + 1, tally);
    }
};

class RandomWalkers : public OnDevice {
protected:
    static void compare(Walkers walkers, int count, std::uint64_t steps, const Options& options) {
        const auto keys = geometry("land", walkers.shape) +
                          std::vector{fmt::format("run.seed={}", walkers.seed), fmt::format("params.birth={}", walkers.birth),
                                      fmt::format("params.death={}", walkers.death),
                                      fmt::format("agents.walker={{count={},capacity={},on_edge=\"refuse\"}}", count, walkers.room)};
        WorldUnderTest world(plugin("random_walk"), keys, options);
        walkers.visits.assign(walkers.shape.count(), 0);
        walkers.all = agents_of<Walker>(world, "walker");
        ASSERT_EQ(walkers.all.size(), static_cast<std::size_t>(count));
        for (std::uint64_t k = 0; k < steps; ++k) {
            walkers.step(k);
            if (k > 2 && k % 9 != 5 && k + 1 < steps) continue;
            world.step_to(k + 1);
            expect_same(world.values<std::uint32_t>("land", "visits"), walkers.visits, walkers.shape, "visits");
            expect_agents(world, "walker", walkers.all, member("steps", &Walker::steps));
            expect_counted(world.counters("walker"), walkers.tally);
            if (HasFailure()) FAIL() << "after step " << k;
        }
        for (const auto happened : {walkers.tally.born, walkers.tally.died, walkers.tally.moved, walkers.tally.refused})
            EXPECT_GT(happened, 0u);
    }
};

TEST_P(RandomWalkers, AreThoseOfAPlainProgram) { compare({reference::plane(53, 67, Boundary::torus)}, 3000, 250, on_this()); }

TEST_P(RandomWalkers, StandInEachOthersWay) {
    Walkers walkers{reference::plane(71, 37, Boundary::torus), 7};
    walkers.room = 1, walkers.birth = 0.2f, walkers.death = 0.15f;
    compare(walkers, 1100, 200, on_this());
}

TEST_P(RandomWalkers, StayInAGridThatIsNoTorus) {
    Walkers walkers{reference::plane(41, 29, Boundary::open), 3};
    walkers.room = 3, walkers.birth = 0.05f;
    compare(walkers, 700, 60, on_this());
}

TEST_P(RandomWalkers, OfDoctorAreKnown) {
    const auto& known = known_run("walkers in a list");
    Walkers walkers{reference::plane(53, 67, Boundary::torus)};
    walkers.room = 1 << 20, walkers.birth = 0.05f, walkers.death = 0.04f;
    WorldUnderTest world(plugin(known.model), known.overrides, on_this());
    walkers.visits.assign(walkers.shape.count(), 0);
    walkers.all = agents_of<Walker>(world, "walker");
    for (std::uint64_t k = 0; k < known.steps; ++k) walkers.step(k);
    world.step_to(known.steps);
    expect_same(world.values<std::uint32_t>("land", "visits"), walkers.visits, walkers.shape, "visits");
    expect_agents(world, "walker", walkers.all, member("steps", &Walker::steps));
    expect_known(world, known);
}

TESSERA_ON_EVERY_DEVICE(RandomWalkers);

} // namespace
} // namespace tessera::test::random_walkers_test
