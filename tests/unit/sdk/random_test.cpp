// tessera/random.hpp: Philox against its published vectors, the order of the draws, and the distributions.
// optimise: yes
// sanitizers: none
#include <tessera/random.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace tessera::random_test {
namespace {

std::vector<std::uint32_t> list(const philox_words& words) { return {words.w, words.w + 4}; }

// The known answers for philox4x32 of 10 rounds in the kat_vectors file of Random123, the authors' own implementation.
TEST(Philox, GivesThePublishedVectors) {
    EXPECT_EQ(list(philox4x32({{0, 0, 0, 0}}, {{0, 0}})), (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    EXPECT_EQ(list(philox4x32({{~0u, ~0u, ~0u, ~0u}}, {{~0u, ~0u}})),
              (std::vector<std::uint32_t>{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
    EXPECT_EQ(list(philox4x32({{0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}}, {{0xa4093822, 0x299f31d0}})),
              (std::vector<std::uint32_t>{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1}));
}
static_assert(philox4x32({{0, 0, 0, 0}}, {{0, 0}}).w[0] == 0x6627e8d5, "the compiler can run it too");

// Philox once more, from the paper, with the bits of the counter as two 64-bit numbers.
std::array<std::uint32_t, 4> straight_philox(std::uint64_t number, std::uint64_t step_and_block, std::uint64_t key) {
    std::uint64_t left = number, right = step_and_block; // (c0, c1), (c2, c3)
    for (std::uint64_t round = 0; round < 10; ++round) {
        const std::uint64_t a = 0xD2511F53 * (left & 0xffffffff), b = 0xCD9E8D57 * (right & 0xffffffff);
        const std::uint64_t k0 = ((key & 0xffffffff) + round * 0x9E3779B9) & 0xffffffff,
                            k1 = ((key >> 32) + round * 0xBB67AE85) & 0xffffffff;
        const std::uint64_t c0 = (b >> 32) ^ (left >> 32) ^ k0, c2 = (a >> 32) ^ (right >> 32) ^ k1;
        left = c0 | b << 32, right = c2 | a << 32;
    }
    return {static_cast<std::uint32_t>(left), static_cast<std::uint32_t>(left >> 32), static_cast<std::uint32_t>(right),
            static_cast<std::uint32_t>(right >> 32)};
}

// As random.hpp documents it: the first word from the block of four, the others from blocks of the entity's own.
std::uint32_t documented_word(std::uint64_t key, std::uint64_t number, std::uint32_t step, std::uint64_t draw) {
    if (draw == 0) return straight_philox(number / 4, step, key)[number % 4];
    return straight_philox(number, step | (1 + (draw - 1) / 4) << 32, key)[(draw - 1) % 4];
}

RC_GTEST_PROP(RandomStream, DrawsTheDocumentedWords, (std::uint64_t key, std::uint64_t number, std::uint32_t step)) {
    random_stream stream(key, number, step);
    for (std::uint32_t draw = 0; draw < 11; ++draw) RC_ASSERT(stream.bits() == documented_word(key, number, step, draw));
}

// The engine makes the first draws of four at once and hands each its own: nobody sees the difference.
RC_GTEST_PROP(RandomStream, DoesNotDependOnWhoMakesTheFirstDraw, (std::uint64_t key, std::uint64_t number, std::uint32_t step)) {
    const auto word = static_cast<std::uint32_t>(number % 4);
    random_stream alone(key, number, step), together(key, number / 4, word, step, straight_philox(number / 4, step, key)[word]);
    for (int draw = 0; draw < 7; ++draw) RC_ASSERT(alone.bits() == together.bits());
}

// A run's results hang on these words: a change of them is a change of every model's results. (Made by the straight Philox above, whose
// known answer is that of the authors.)
TEST(RandomStream, StaysWhatItIs) {
    EXPECT_EQ(straight_philox(0, 0, 0), (std::array<std::uint32_t, 4>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
    std::vector<std::uint32_t> words;
    for (const std::uint64_t number : {0, 1, 2, 3}) words.push_back(random_stream(0, number, 0).bits());
    EXPECT_EQ(words, (std::vector<std::uint32_t>{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8})); // the block of counter 0
}

// Each draw against its documented formula on the bits of a second stream, in long double.
RC_GTEST_PROP(RandomStream, MakesNumbersOfBitsAsDocumented, (std::uint64_t key, std::uint64_t entity, std::uint32_t n)) {
    random_stream stream(key, entity, 3), words(key, entity, 3);
    RC_ASSERT(stream.uniform() == static_cast<float>(words.bits() / 256) / 16777216.0f);
    const std::uint64_t high = words.bits() / 32, low = words.bits() / 64;
    RC_ASSERT(stream.uniform64() == static_cast<double>(static_cast<long double>(high * 67108864 + low) / 9007199254740992.0L));
    RC_ASSERT(stream.below(n) == static_cast<std::uint32_t>(static_cast<long double>(words.bits()) * n / 4294967296.0L));
    RC_ASSERT(stream.bernoulli(0.25f) == (words.bits() < 0x40000000u));
    const long double u = (static_cast<long double>(words.bits()) + 1) / 4294967296.0L,
                      v = static_cast<long double>(words.bits()) / 4294967296.0L;
    const long double normal = std::sqrt(-2 * std::log(u)) * std::cos(2 * 3.14159265358979323846264L * v);
    RC_ASSERT(std::fabs(static_cast<long double>(stream.normal()) - normal) <= 6.1e-8L * std::fabs(normal) + 1e-18L);
    RC_ASSERT(stream.bits() == words.bits()); // as many words were taken
}

// So that below(3) - 1 may be -1, in a float too.
TEST(RandomStream, DrawsNumbersOfTheTypeOfTheirBound) {
    random_stream stream(1, 2, 3);
    enum Way : std::uint8_t { west, east, ways };
    const std::int64_t wide = 4000000000;
    static_assert(std::is_same_v<decltype(stream.below(3)), int>);
    static_assert(std::is_same_v<decltype(stream.below(3u)), unsigned>);
    static_assert(std::is_same_v<decltype(stream.below(std::int8_t{3})), std::int8_t>);
    static_assert(std::is_same_v<decltype(stream.below(wide)), std::int64_t>);
    static_assert(std::is_same_v<decltype(+stream.below(ways)), int>);
    float least = 0;
    std::int64_t most = 0;
    for (int i = 0; i < 1000; ++i) {
        least = std::min(least, static_cast<float>(stream.below(3) - 1));
        most = std::max(most, stream.below(wide));
    }
    EXPECT_EQ(least, -1);
    EXPECT_GT(most, 3900000000);
}

TEST(RandomStream, HandlesTheEdgesOfItsArguments) {
    random_stream stream(1, 2, 3);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(stream.below(0), 0);
        EXPECT_EQ(stream.below(1), 0);
        EXPECT_FALSE(stream.bernoulli(0.0f));
        EXPECT_FALSE(stream.bernoulli(-1.0f));
        EXPECT_FALSE(stream.bernoulli(std::nanf("")));
        EXPECT_TRUE(stream.bernoulli(1.0f));
    }
}

// Numbers of many entities in one step, as a model draws them: `draw(stream)` of each.
template<class Draw> std::vector<double> draws(std::size_t count, Draw draw) {
    std::vector<double> result;
    for (std::size_t id = 0; id < count; ++id) {
        random_stream stream(stream_key(1, name_hash("tick"), 0), id, 5);
        result.push_back(static_cast<double>(draw(stream)));
    }
    return result;
}

double mean(const std::vector<double>& values, int power = 1) {
    double sum = 0;
    for (const double x : values) sum += std::pow(x, power);
    return sum / static_cast<double>(values.size());
}

// Pearson's statistic of the counts of floor(value * bins) against equal counts: bins - 1 on average, deviation sqrt(2 (bins - 1)).
double chi_square(const std::vector<double>& values, int bins) {
    std::vector<double> counts(static_cast<std::size_t>(bins));
    for (const double x : values) ++counts.at(static_cast<std::size_t>(x * bins));
    const double expected = static_cast<double>(values.size()) / bins;
    double sum = 0;
    for (const double count : counts) sum += (count - expected) * (count - expected) / expected;
    return sum;
}
void expect_even(const std::vector<double>& values, int bins) {
    EXPECT_NEAR(chi_square(values, bins), bins - 1, 4 * std::sqrt(2.0 * (bins - 1)));
}

constexpr std::size_t many = 1'000'000;

TEST(RandomDistribution, UniformIsEven) {
    for (const auto& values : {draws(many, [](auto& s) { return s.uniform(); }), draws(many, [](auto& s) { return s.uniform64(); })}) {
        expect_even(values, 256);
        EXPECT_NEAR(mean(values), 0.5, 4 * std::sqrt(1.0 / 12 / many));
        EXPECT_NEAR(mean(values, 2), 1.0 / 3, 4 * std::sqrt(4.0 / 45 / many));
    }
}

TEST(RandomDistribution, BelowIsEven) {
    for (const int n : {2, 3, 7, 100, 1000}) {
        auto values = draws(many, [n](auto& s) { return s.below(static_cast<std::uint32_t>(n)); });
        for (double& x : values) {
            ASSERT_LT(x, n);
            x = (x + 0.5) / n;
        }
        expect_even(values, n);
    }
}

TEST(RandomDistribution, BernoulliHasItsProbability) {
    for (const float p : {0.01f, 0.3f, 0.5f, 0.99f}) {
        const double share = mean(draws(many, [p](auto& s) { return s.bernoulli(p); }));
        EXPECT_NEAR(share, static_cast<double>(p), 4 * std::sqrt(static_cast<double>(p * (1 - p)) / many));
    }
}

TEST(RandomDistribution, NormalIsNormal) {
    const auto values = draws(many, [](auto& s) { return s.normal(); });
    EXPECT_NEAR(mean(values), 0, 4 / std::sqrt(static_cast<double>(many)));
    EXPECT_NEAR(mean(values, 2), 1, 4 * std::sqrt(2.0 / many));
    EXPECT_NEAR(mean(values, 3), 0, 4 * std::sqrt(15.0 / many));
    EXPECT_NEAR(mean(values, 4), 3, 4 * std::sqrt(96.0 / many));
    std::vector<double> quantiles;
    for (const double x : values) quantiles.push_back(0.5 * std::erfc(-x / std::sqrt(2.0)));
    expect_even(quantiles, 100);
}

// What may have to do with one another and must not: pairs of draws `from` one stream and another, in 16 x 16 joint cells.
struct Drawn {
    std::uint64_t key, number;
    std::uint32_t step;
    int draw; // from 0

    [[nodiscard]] std::uint32_t below(std::uint32_t n) const {
        random_stream stream(key, number, step);
        for (int i = 0; i < draw; ++i) stream.bits();
        return stream.below(n);
    }
};
template<class Pair> void expect_independent(Pair&& pair) {
    std::vector<double> cells;
    double products = 0;
    for (std::uint64_t number = 0; number < many; ++number) {
        const auto [a, b] = pair(number);
        const auto x = a.below(16), y = b.below(16);
        cells.push_back((x * 16 + y + 0.5) / 256);
        products += (x - 7.5) * (y - 7.5);
    }
    expect_even(cells, 256);
    EXPECT_NEAR(products / many, 0, 4 * 21.25 / std::sqrt(static_cast<double>(many))) << "correlated"; // 21.25: the variance of below(16)
}

TEST(RandomDistribution, NeighboursAreIndependent) {
    constexpr std::uint64_t across = 1000; // a row: four share a block, also where a row ends
    const std::uint64_t key = stream_key(1, name_hash("tick"), 0);
    for (const std::uint64_t away : {std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{3}, std::uint64_t{4}, across, across + 1, across - 1,
                                     std::uint64_t{1} << 32, std::uint64_t{1} << 34})
        for (const int draw : {0, 1}) {
            SCOPED_TRACE(std::to_string(away) + " away, draw " + std::to_string(draw));
            expect_independent([&](std::uint64_t n) { return std::pair(Drawn{key, n, 5, draw}, Drawn{key, n + away, 5, draw}); });
        }
}

TEST(RandomDistribution, StepsAreIndependent) {
    const std::uint64_t key = stream_key(1, name_hash("tick"), 0);
    for (const std::uint32_t later : {1u, 2u, 256u, 65536u})
        for (const int draw : {0, 1}) {
            SCOPED_TRACE(std::to_string(later) + " steps later, draw " + std::to_string(draw));
            expect_independent([&](std::uint64_t n) { return std::pair(Drawn{key, n, 5, draw}, Drawn{key, n, 5 + later, draw}); });
        }
}

TEST(RandomDistribution, DrawsAreIndependent) {
    const std::uint64_t key = stream_key(1, name_hash("tick"), 0);
    for (const auto& [first, second] :
         {std::pair(0, 1), std::pair(0, 2), std::pair(1, 2), std::pair(0, 4), std::pair(1, 5), std::pair(4, 5)}) {
        SCOPED_TRACE("draws " + std::to_string(first) + " and " + std::to_string(second));
        expect_independent([&, a = first, b = second](std::uint64_t n) { return std::pair(Drawn{key, n, 5, a}, Drawn{key, n, 5, b}); });
        expect_independent([&, a = first, b = second](std::uint64_t n) { return std::pair(Drawn{key, n, 5, a}, Drawn{key, n + 1, 5, b}); });
    }
    // A group's number is also that of one of its first quarter: the blocks that these draw from differ all the same.
    expect_independent([&](std::uint64_t n) { return std::pair(Drawn{key, 4 * n, 5, 0}, Drawn{key, n, 5, 1}); });
}

TEST(RandomDistribution, FunctionsMembersCallsAndSeedsAreIndependent) {
    const std::uint64_t key = stream_key(1, name_hash("tick"), 0);
    for (const std::uint64_t other : {stream_key(1, name_hash("tick"), 1), stream_key(1, name_hash("tock"), 0),
                                      stream_key(2, name_hash("tick"), 0), stream_key(1, name_hash("init cell.heat"), 0)})
        expect_independent([&](std::uint64_t n) { return std::pair(Drawn{key, n, 5, 0}, Drawn{other, n, 5, 0}); });
    const std::uint64_t heat = stream_key(1, name_hash("init cell.heat"), 0), age = stream_key(1, name_hash("init cell.age"), 1);
    expect_independent([&](std::uint64_t n) { return std::pair(Drawn{heat, n, 0, 0}, Drawn{age, n, 0, 0}); });
}

// All four of a block at once: 4^4 joint cells.
TEST(RandomDistribution, FourOfABlockAreJointlyEven) {
    const std::uint64_t key = stream_key(1, name_hash("tick"), 0);
    std::vector<double> cells;
    for (std::uint64_t group = 0; group < many; ++group) {
        std::uint32_t cell = 0;
        for (std::uint64_t word = 0; word < 4; ++word) cell = cell * 4 + random_stream(key, 4 * group + word, 5).below(4);
        cells.push_back((cell + 0.5) / 256);
    }
    expect_even(cells, 256);
}

// The vectors of FNV's authors (draft-eastlake-fnv, test code).
TEST(NameHash, IsFnv1a) {
    EXPECT_EQ(name_hash(""), 0xcbf29ce484222325u);
    EXPECT_EQ(name_hash("a"), 0xaf63dc4c8601ec8cu);
    EXPECT_EQ(name_hash("foobar"), 0x85944171f73967e8u);
    static_assert(name_hash("a") == 0xaf63dc4c8601ec8c);
}

TEST(StreamKey, DependsOnEveryBitOfEverything) {
    std::set<std::uint64_t> keys;
    const std::uint64_t function = name_hash("tick");
    for (int bit = 0; bit < 64; ++bit) {
        keys.insert(stream_key(std::uint64_t{1} << bit, function, 0));
        keys.insert(stream_key(0, function ^ std::uint64_t{1} << bit, 0));
    }
    for (std::uint32_t call = 0; call < 1000; ++call) keys.insert(stream_key(0, function, call));
    EXPECT_EQ(keys.size(), 128u + 1000u);
}

// A run's results hang on these values: a change of them is a change of every model's results.
TEST(StreamKey, StaysWhatItIs) {
    EXPECT_EQ(stream_key(0, 0, 0), 0x568a9b0b1a2c05ecu);
    EXPECT_EQ(stream_key(1, 0xaf63dc4c8601ec8c, 0), 0x94cb16949a6b2e6du);
    EXPECT_EQ(stream_key(42, 0x85944171f73967e8, 7), 0x13a818349c6fdb57u);
}

} // namespace
} // namespace tessera::random_test
