// Random numbers of places against an implementation of their own: Philox 4x32-10 and the keys, streams and distributions as
// sdk/include/tessera/random.hpp documents them, written from that text and from the paper.
#include "tests/unit/engine/states.hpp"
#include "tests/unit/engine/world_under_test.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cmath>

namespace tessera::test {
namespace {

using Words = std::array<std::uint32_t, 4>;

Words philox(Words c, std::uint64_t key) {
    auto k0 = static_cast<std::uint32_t>(key), k1 = static_cast<std::uint32_t>(key >> 32);
    for (int round = 0; round < 10; ++round, k0 += 0x9E3779B9u, k1 += 0xBB67AE85u) {
        const std::uint64_t a = 0xD2511F53ull * c[0], b = 0xCD9E8D57ull * c[2];
        c = {static_cast<std::uint32_t>(b >> 32) ^ c[1] ^ k0, static_cast<std::uint32_t>(b), static_cast<std::uint32_t>(a >> 32) ^ c[3] ^ k1,
             static_cast<std::uint32_t>(a)};
    }
    return c;
}

std::uint64_t mixed(std::uint64_t x) {
    x ^= x >> 30, x *= 0xBF58476D1CE4E5B9ull;
    x ^= x >> 27, x *= 0x94D049BB133111EBull;
    return x ^ (x >> 31);
}

std::uint64_t key_of(std::uint64_t seed, const std::string& function, std::uint64_t call) {
    std::uint64_t name = 14695981039346656037ull; // FNV-1a
    for (const char c : function) name = (name ^ static_cast<unsigned char>(c)) * 1099511628211ull;
    constexpr std::uint64_t golden = 0x9E3779B97F4A7C15ull;
    return mixed(mixed(mixed(seed + golden) ^ name) + golden * (call + 1));
}

class Stream {
public:
    Stream(std::uint64_t key, std::uint64_t place, std::uint64_t step) : key_(key), place_(place), step_(static_cast<std::uint32_t>(step)) {}
    std::uint32_t word() {
        const auto number = drawn_++;
        return philox({static_cast<std::uint32_t>(place_), static_cast<std::uint32_t>(place_ >> 32), step_, number / 4}, key_)[number % 4];
    }
    float uniform() { return static_cast<float>(word() / 256) / 16777216.0f; }
    std::uint32_t below(std::uint64_t n) { return static_cast<std::uint32_t>(word() * n / 4294967296ull); }
    double normal() {
        const double u = (word() + 1.0) / 4294967296.0, v = word() / 4294967296.0;
        return std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846 * v);
    }

private:
    std::uint64_t key_, place_;
    std::uint32_t step_, drawn_ = 0;
};

struct Field {
    Shape shape;
    std::uint64_t seed;
    std::vector<std::uint32_t> walkers{};
    std::vector<std::uint8_t> heading{};
    std::vector<double> wind{};
    std::vector<std::int64_t> last_visit{};

    void settle() {
        walkers.assign(shape.count(), 0), heading.assign(shape.count(), 0), wind.assign(shape.count(), 0), last_visit.assign(shape.count(), -1);
        const auto key = key_of(seed, "field.settle", 0);
        for (std::size_t i = 0; i < shape.count(); ++i) {
            Stream stream(key, i, 0);
            if (stream.uniform() < 0.2f) walkers[i] = 1 + stream.below(4);
        }
    }
    void turn(std::uint64_t step, std::uint64_t call) {
        const auto key = key_of(seed, "field.turn", call);
        for (std::int64_t y = 0; y < shape.ny; ++y)
            for (std::int64_t x = 0; x < shape.nx; ++x) {
                const auto there = [&](std::int64_t dx, std::int64_t dy) { return reference::look(walkers, shape, x + dx, y + dy, 0, 0u, 0u).exists; };
                const bool open_to[] = {true, there(-1, 0), there(1, 0), there(0, -1), there(0, 1)};
                const auto i = shape.index(x, y);
                Stream stream(key, i, step);
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
    WorldUnderTest world(test_model("random_walk_field"),
                         keys(field) + std::vector<std::string>{"phase=[{callAll=\"field.turn\"},{callAll=\"field.turn\"},{exchangeAll=\"field\"},{callAll=\"field.drift\"}]"},
                         on_this());
    for (std::uint64_t step = 0; step < 30; ++step) {
        field.turn(step, 0), field.turn(step, 1), field.drift(step);
    }
    world.step_to(30);
    expect(world, field);
}

TESSERA_ON_EVERY_DEVICE(RandomWalk);

} // namespace
} // namespace tessera::test
