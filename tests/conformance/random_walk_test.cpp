// Random numbers of places, and the step and coordinates that they see, against a loop with a Philox of its own.
// sanitizers: address
#include "tests/conformance/philox.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::random_walk_test {
namespace {

struct Field {
    Shape shape;
    std::uint64_t seed;
    std::vector<std::uint32_t> walkers{};
    std::vector<std::uint8_t> heading{};
    std::vector<double> wind{};
    std::vector<std::int64_t> last_visit{};

    void settle() {
        walkers.assign(shape.count(), 0), heading.assign(shape.count(), 0), wind.assign(shape.count(), 0),
            last_visit.assign(shape.count(), -1);
        const auto key = key_of(seed, "field.settle", 0);
        for (std::size_t i = 0; i < shape.count(); ++i) {
            Stream stream(key, number_of(i, shape.nx), 0);
            if (stream.uniform() < 0.2f) walkers[i] = 1 + stream.below(4);
        }
    }
    void turn(std::uint64_t step, std::uint64_t call) {
        const auto key = key_of(seed, "field.turn", call);
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = 0; x < shape.nx; ++x) {
                const auto there = [&](std::int64_t dx, std::int64_t dy) {
                    return reference::look(walkers, shape, x + dx, y + dy, 0, 0u, 0u).exists;
                };
                const bool open_to[] = {true, there(-1, 0), there(1, 0), there(0, -1), there(0, 1)};
                const auto i = shape.index(x, y);
                Stream stream(key, number_of(x, y, shape.nx), step);
                const auto wanted = stream.below(5);
                heading[i] = open_to[wanted] ? static_cast<std::uint8_t>(wanted) : 0;
                if (step % 2 != 0) continue;
                const double gust = stream.normal();
                wind[i] = wind[i] / 2 + gust + static_cast<double>(stream.uniform());
            }
    }
    void drift(std::uint64_t step) {
        const auto before = walkers;
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = 0; x < shape.nx; ++x) {
                const auto coming = [&](std::int64_t dx, std::int64_t dy, int direction) -> std::uint32_t {
                    const auto from = reference::look<std::uint8_t>(heading, shape, x + dx, y + dy, 0, 0, 0);
                    return from.value == direction ? reference::look(before, shape, x + dx, y + dy, 0, 0u, 0u).value : 0;
                };
                const auto i = shape.index(x, y);
                walkers[i] = coming(0, 0, 0) + coming(1, 0, 1) + coming(-1, 0, 2) + coming(0, 1, 3) + coming(0, -1, 4);
                if (walkers[i] > 0) last_visit[i] = static_cast<std::int64_t>(step);
            }
    }
};

class RandomWalk : public OnDevice {
protected:
    static void expect(const WorldUnderTest& world, const Field& field) {
        expect_same(world.values<std::uint32_t>("field", "walkers"), field.walkers, field.shape, "walkers");
        expect_same(world.values<std::uint8_t>("field", "heading"), field.heading, field.shape, "heading");
        expect_same(world.values<std::int64_t>("field", "last_visit"), field.last_visit, field.shape, "last visit");
        const auto wind = world.values<float>("field", "wind");
        for (std::size_t i = 0; i < wind.size(); ++i) ASSERT_NEAR(wind[i], field.wind[i], 4e-6) << "wind at " << i;
    }
    static std::vector<std::string> keys(const Field& field) {
        return geometry("field", field.shape) + std::vector<std::string>{"run.seed=" + std::to_string(field.seed)};
    }
};

// The known answer of the authors of Philox (Random123, kat_vectors).
TEST(RandomWalkOracle, IsPhilox) { EXPECT_EQ(philox({0, 0, 0, 0}, 0), (Words{0x6627E8D5, 0xE169C58D, 0xBC57AC4C, 0x9B00DBD8})); }

TEST_P(RandomWalk, IsThatOfAnotherPhilox) {
    for (const auto boundary : {Boundary::torus, Boundary::open})
        for (const std::uint64_t seed : {1ull, 9223372036854775807ull}) {
            Field field{reference::plane(61, 47, boundary), seed};
            field.settle();
            WorldUnderTest world(test_model("random_walk_field"), keys(field), on_this());
            expect(world, field);
            for (std::uint64_t step = 0; step < 100; ++step) field.turn(step, 0), field.drift(step);
            world.step_to(100);
            expect(world, field);
        }
}

// Two calls of a function in one step draw different numbers.
TEST_P(RandomWalk, CallsOfAStepDrawTheirOwn) {
    Field field{reference::plane(23, 31, Boundary::torus), 5};
    field.settle();
    WorldUnderTest world(
        test_model("random_walk_field"),
        keys(field) +
            std::vector<std::string>{
                "phase=[{callAll=\"field.turn\"},{callAll=\"field.turn\"},{exchangeAll=\"field\"},{callAll=\"field.drift\"}]"},
        on_this());
    for (std::uint64_t step = 0; step < 30; ++step) {
        field.turn(step, 0), field.turn(step, 1), field.drift(step);
    }
    world.step_to(30);
    expect(world, field);
}

TESSERA_ON_EVERY_DEVICE(RandomWalk);

} // namespace
} // namespace tessera::test::random_walk_test
