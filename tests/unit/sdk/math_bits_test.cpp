// The mathematics and the random numbers of the SDK give the same bits whoever compiles them, and need nothing from anybody.
// sanitizers: none
// optimise: yes
#include "tests/support/thorough.hpp"
#include "tests/unit/sdk/math_build.hpp"
#include "tests/unit/sdk/math_samples.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <tuple>
#include <vector>

namespace tessera::math_test::math_bits_test {
namespace {

const std::filesystem::path source = test_data("gpu/math_bits.cu");

std::unique_ptr<Build> build(const std::string& compiler, const std::string& options) {
    return std::make_unique<Build>(compiler, options, source);
}

// Arguments of a quarter each: any double, any float, numbers of everyday size, and special ones.
std::vector<double> arguments(std::uint64_t seed, int repeat, std::size_t count) {
    Samples samples(seed);
    const auto specials = special_values<double>();
    const auto float_specials = special_values<float>();
    std::vector<double> result(count);
    for (std::size_t i = 0; i < count; ++i) {
        switch (i / static_cast<std::size_t>(repeat) % 4) {
        case 0: result[i] = samples.any<double>(); break;
        case 1: result[i] = static_cast<double>(samples.any<float>()); break;
        case 2: result[i] = samples.of_exponent<double>(-8, 10); break;
        default:
            result[i] =
                samples.word() & 1 ? specials[samples.word() % specials.size()] : float_specials[samples.word() % float_specials.size()];
        }
    }
    return result;
}

struct Variant {
    const char* compiler;
    const char* options;
    std::size_t count; // of arguments; in a thorough run ten times as many
};

class MathBits : public ::testing::TestWithParam<Variant> {
protected:
    void SetUp() override {
        if (!is_there(GetParam().compiler)) GTEST_SKIP() << "there is no " << GetParam().compiler << " here";
        if (!is_there("g++")) GTEST_SKIP() << "there is no g++ here, which makes the results to compare with";
    }
};

TEST_P(MathBits, AreThoseOfAnyOtherBuildAndNeedNoLibrary) {
    using evaluate = void(int, const double*, const double*, double*, long);
    const auto reference = build("g++", "-O2"), other = build(GetParam().compiler, GetParam().options);
    for (const auto& symbol : other->undefined_symbols()) {
        EXPECT_THAT(symbol, ::testing::AnyOf("memcpy", "memset", "memmove", "memcmp")); // compilers take these for granted
    }
    const auto count = GetParam().count * (test::thorough() ? 10 : 1);
    const auto x = arguments(1, 1, count), y = arguments(2, 4, count);
    std::vector<double> expected(x.size()), found(x.size());
    const int functions = other->symbol<int()>("math_bits_count")();
    ASSERT_GT(functions, 40);
    for (int function = 0; function < functions; ++function) {
        reference->symbol<evaluate>("math_bits_cpu")(function, x.data(), y.data(), expected.data(), static_cast<long>(x.size()));
        other->symbol<evaluate>("math_bits_cpu")(function, x.data(), y.data(), found.data(), static_cast<long>(x.size()));
        const auto same = [](double a, double b) { return std::bit_cast<std::uint64_t>(a) == std::bit_cast<std::uint64_t>(b); };
        const auto i = std::mismatch(expected.begin(), expected.end(), found.begin(), same).first - expected.begin();
        ASSERT_EQ(static_cast<std::size_t>(i), x.size())
            << other->symbol<const char*(int)>("math_bits_name")(function) << " of " << x[static_cast<std::size_t>(i)] << " and "
            << y[static_cast<std::size_t>(i)] << " is " << expected[static_cast<std::size_t>(i)] << " or "
            << found[static_cast<std::size_t>(i)];
    }
}

constexpr Variant variants[] = {
    {"g++", "-O0", 50'000},      {"g++", "-O0 -march=native", 50'000},
    {"g++", "-O3", 200'000},     {"g++", "-O3 -march=native", 200'000},
    {"clang++", "-O0", 50'000},  {"clang++", "-O0 -march=native", 50'000},
    {"clang++", "-O3", 200'000}, {"clang++", "-O3 -march=native", 200'000},
};

std::string name_of(const ::testing::TestParamInfo<Variant>& variant) {
    std::string name;
    for (const char c : std::string(variant.param.compiler) + variant.param.options) {
        if (std::isalnum(static_cast<unsigned char>(c))) name += c;
        if (c == '-' || c == ' ') name += '_';
    }
    return name;
}
INSTANTIATE_TEST_SUITE_P(Compilers, MathBits, ::testing::ValuesIn(variants), name_of);

class MathUnderNvrtc : public ::testing::Test {
protected:
    void SetUp() override {
        if (Nvrtc::library() == nullptr) GTEST_SKIP() << "there is no libnvrtc here";
    }
    static Nvrtc::Result compile(const char* more) {
        return Nvrtc::compile(text_of(source), {"-arch=compute_75", "--std=c++20", "-default-device", "--fmad=false", "--ftz=false",
                                                "--prec-div=true", "--prec-sqrt=true", "-DTESSERA_FLOATS_IN_PAIRS=0", more});
    }
    static std::vector<std::string> lines_with(const std::string& text, const std::string& what) {
        std::vector<std::string> result;
        std::istringstream lines(text);
        for (std::string line; std::getline(lines, line);) {
            if (line.find(what) != std::string::npos) result.push_back(line);
        }
        return result;
    }
};

TEST_F(MathUnderNvrtc, CompilesWithoutWarningsOrHeaders) {
    const auto result = compile("-DMATH_BITS_ALL");
    ASSERT_TRUE(result.compiled) << result.log;
    EXPECT_EQ(result.log, "");
    EXPECT_THAT(result.ptx, ::testing::HasSubstr(".entry math_bits("));
}

// CUDA's own functions would show as approximations and as multiply-adds, which contraction being off leaves out of ours.
TEST_F(MathUnderNvrtc, UsesNoneOfCudasFunctions) {
    const auto result = compile("-DMATH_BITS_WITHOUT_FMA");
    ASSERT_TRUE(result.compiled) << result.log;
    for (const char* forbidden : {".full", "fma.rn.f64", ".extern", "__nv_", "__internal_"}) {
        EXPECT_THAT(lines_with(result.ptx, forbidden), ::testing::IsEmpty()) << forbidden;
    }
    // But for the root of a float, which is an estimate that two multiply-adds correct.
    const auto estimates = lines_with(result.ptx, "rsqrt.approx.ftz.f32");
    EXPECT_FALSE(estimates.empty());
    EXPECT_EQ(lines_with(result.ptx, ".approx"), estimates);
    EXPECT_EQ(lines_with(result.ptx, ".ftz"), estimates);
    EXPECT_EQ(lines_with(result.ptx, "fma.").size(), 2 * estimates.size());
    EXPECT_THAT(lines_with(result.ptx, ".func"), ::testing::Each(::testing::HasSubstr("7tessera11math_detail")));
    EXPECT_FALSE(lines_with(result.ptx, "div.rn.f64").empty());
    EXPECT_FALSE(lines_with(result.ptx, "sqrt.rn.f64").empty());
}

TEST_F(MathUnderNvrtc, FusesExactlyWhereTheTextSaysSo) {
    const auto result = compile("-DMATH_BITS_ALL");
    ASSERT_TRUE(result.compiled) << result.log;
    EXPECT_EQ(lines_with(result.ptx, "fma.rn.f64").size(), 3u);
    EXPECT_EQ(lines_with(result.ptx, "fma.rn.f32").size(), 3u + 2 * lines_with(result.ptx, "rsqrt.approx.ftz.f32").size());
}

} // namespace
} // namespace tessera::math_test::math_bits_test
