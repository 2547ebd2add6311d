// tessera/random.hpp: Philox against its published vectors, the order of the draws, and the distributions.
#include <tessera/random.hpp>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <set>
#include <vector>

namespace tessera {
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

RC_GTEST_PROP(RandomStream, DrawsTheWordsOfPhiloxInOrder, (std::uint64_t key, std::uint64_t entity, std::uint32_t step)) {
    random_stream stream(key, entity, step);
    for (std::uint32_t draw = 0; draw < 11; ++draw) {
        const philox_words block =
            philox4x32({{static_cast<std::uint32_t>(entity), static_cast<std::uint32_t>(entity >> 32), step, draw / 4}},
                       {{static_cast<std::uint32_t>(key), static_cast<std::uint32_t>(key >> 32)}});
        RC_ASSERT(stream.bits() == block.w[draw % 4]);
    }
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

TEST(RandomStream, HandlesTheEdgesOfItsArguments) {
    random_stream stream(1, 2, 3);
    for (int i = 0; i < 1000; ++i) {
        EXPECT_EQ(stream.below(0), 0u);
        EXPECT_EQ(stream.below(1), 0u);
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

// Neighbouring entities, steps, keys and draws have nothing to do with one another: correlations vanish, joint cells are even.
TEST(RandomDistribution, NeighboursAreIndependent) {
    const std::uint64_t key = stream_key(1, name_hash("tick"), 0), next_call = stream_key(1, name_hash("tick"), 1),
                        other_function = stream_key(1, name_hash("tock"), 0), other_seed = stream_key(2, name_hash("tick"), 0);
    const auto pair_with = [&](std::uint64_t other_key, std::uint64_t id_step, std::uint32_t step, int skip) {
        std::vector<double> cells;
        for (std::uint64_t id = 0; id < many; ++id) {
            random_stream a(key, id, 5), b(other_key, id + id_step, 5 + step);
            for (int i = 0; i < skip; ++i) b.bits();
            cells.push_back((a.below(16) * 16 + b.below(16) + 0.5) / 256);
        }
        return cells;
    };
    expect_even(pair_with(key, 1, 0, 0), 256);
    expect_even(pair_with(key, std::uint64_t{1} << 32, 0, 0), 256);
    expect_even(pair_with(key, 0, 1, 0), 256);
    expect_even(pair_with(key, 0, 0, 1), 256);
    expect_even(pair_with(key, 0, 0, 4), 256);
    expect_even(pair_with(next_call, 0, 0, 0), 256);
    expect_even(pair_with(other_function, 0, 0, 0), 256);
    expect_even(pair_with(other_seed, 0, 0, 0), 256);
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
} // namespace tessera
