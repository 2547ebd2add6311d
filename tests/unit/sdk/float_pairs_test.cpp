// Functions of floats in pairs of floats have the bits of those in double, and no double where no result is in doubt.
// sanitizers: none
// optimise: yes
#include "tests/support/thorough.hpp"
#include "tests/unit/sdk/math_build.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <string>

namespace tessera::math_test::float_pairs_test {
namespace {

class FloatPairs : public ::testing::TestWithParam<const char*> {};

// Every float once in so many, by a stride that is odd. A GPU tries them all (tests/conformance/math_gpu_test.cpp).
TEST_P(FloatPairs, HaveTheBitsOfDoubles) {
    if (!is_there("g++")) GTEST_SKIP() << "there is no g++ here";
    const Build build("g++", std::string("-O2 ") + GetParam(), test_data("gpu/float_pairs.cu"));
    auto* const differ = build.symbol<std::uint64_t(int, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t*)>("float_pairs_cpu");
    const std::uint64_t count = (test::thorough() ? 100'000'000 : 1'000'000), stride = (std::uint64_t{1} << 32) / count | 1;
    const int functions = build.symbol<int()>("float_pairs_count")();
    ASSERT_EQ(functions, 6);
    for (int function = 0; function < functions; ++function) {
        std::uint64_t example = 0;
        const auto wrong = differ(function, 20261126, stride, count, &example);
        EXPECT_EQ(wrong, 0u) << build.symbol<const char*(int)>("float_pairs_name")(function) << ", argument " << example;
    }
}
INSTANTIATE_TEST_SUITE_P(Processors, FloatPairs, ::testing::Values("-march=native"), [](const auto&) { return std::string("native"); });

std::string entries(const std::vector<const char*>& more) {
    std::vector<const char*> options = {"--std=c++20", "-default-device", "--ftz=false", "--prec-div=true", "--prec-sqrt=true"};
    options.insert(options.end(), more.begin(), more.end());
    const auto result = Nvrtc::compile(R"(#include <tessera/math.hpp>
#define ENTRY(name, value) extern "C" __global__ void of_##name(float* a) { const float x = a[0], y = a[1]; a[2] = value; (void)y; }
ENTRY(exp, tessera::exp(x)) ENTRY(log, tessera::log(x)) ENTRY(pow, tessera::pow(x, y))
ENTRY(sin, tessera::sin(x)) ENTRY(cos, tessera::cos(x)) ENTRY(tan, tessera::tan(x))
)",
                                       options);
    if (!result.compiled) throw std::runtime_error(result.log);
    EXPECT_EQ(result.log, "");
    std::string bodies; // without functions out of line, which may stand between
    for (auto at = result.ptx.find(".entry"); at != std::string::npos; at = result.ptx.find(".entry", at + 1))
        bodies += result.ptx.substr(at, result.ptx.find("\n}\n", at) - at);
    return bodies;
}

std::size_t times_in(const std::string& text, const std::string& what) {
    std::size_t count = 0;
    for (auto at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++count;
    return count;
}

class FloatPairsUnderNvrtc : public ::testing::Test {
protected:
    void SetUp() override {
        if (Nvrtc::library() == nullptr) GTEST_SKIP() << "there is no libnvrtc here";
    }
};

TEST_F(FloatPairsUnderNvrtc, HaveNoDoubleOnTheCommonPath) {
    const auto in_pairs = entries({"-arch=compute_75", "--fmad=false"});
    EXPECT_EQ(times_in(in_pairs, ".entry"), 6u);
    EXPECT_EQ(times_in(in_pairs, ".f64"), 0u);
    EXPECT_EQ(times_in(in_pairs, "call.uni"), 6u);
}

TEST_F(FloatPairsUnderNvrtc, AreNotFusedFurther) {
    const auto exact = entries({"-arch=compute_75", "--fmad=false"}), fast = entries({"-arch=compute_75", "--fmad=true"});
    EXPECT_GT(times_in(exact, "fma.rn.f32"), 100u);
    EXPECT_EQ(times_in(exact, "fma.rn.f32"), times_in(fast, "fma.rn.f32"));
}

TEST_F(FloatPairsUnderNvrtc, AreLeftToDoublesWhereTheseAreFast) {
    EXPECT_EQ(times_in(entries({"-arch=compute_90", "--fmad=false"}), "fma.rn.f32"), 0u);
}

} // namespace
} // namespace tessera::math_test::float_pairs_test
