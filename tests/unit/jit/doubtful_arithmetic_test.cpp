// What is found in the text alone, whatever compiler there is.
#include "jit/doubtful_arithmetic.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::jit::doubtful_arithmetic_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

// "6: an unsigned number becomes a wider one": the columns of what is said of these statements, and how that begins.
std::vector<std::string> found(const std::string& statements) {
    const std::string text = "struct Cell { float f = 0; double d = 0; int k = 0; std::uint32_t u = 0, v = 0; unsigned t = 0;\n"
                             "std::int64_t w = 0; std::uint64_t h = 0; std::uint8_t n = 0; };\n" +
                             statements;
    std::vector<std::string> result;
    for (const auto& each : doubtful_arithmetic({{"m.cu", text, "m.cu"}, {}}))
        result.push_back(fmt::format("{}: {}", each.column, each.message.substr(0, each.message.find(" here"))));
    return result;
}

const std::string difference = "an unsigned number becomes a wider one", product = "a product of unsigned numbers becomes another number";

TEST(DoubtfulArithmetic, DifferencesThatGoIntoWiderMembers) {
    EXPECT_THAT(found("self.w = self.u - 1;"), ElementsAre("10: " + difference));
    EXPECT_THAT(found("self.h = self.u - self.v;"), ElementsAre("10: " + difference));
    EXPECT_THAT(found("self.w += 2 * (self.t - self.v);"), ElementsAre("11: " + difference));
    EXPECT_THAT(found("self.d = self.u - 1;"), ElementsAre("10: " + difference));
}

TEST(DoubtfulArithmetic, DifferencesThatAreFine) {
    for (const auto* fine :
         {"self.u = self.u - 1;", "self.w = self.k - 1;", "self.w = self.u + 1;", "self.w = static_cast<int>(self.u) - 1;",
          "self.w = self.u == self.v - 1;", "if (self.w == 3) self.u = self.v - 1;", "self.w = 1 - 2;"})
        EXPECT_THAT(found(fine), IsEmpty()) << fine;
}

TEST(DoubtfulArithmetic, ProductsThatGoIntoOtherNumbers) {
    for (const std::string member : {"w", "h", "f", "d", "k"}) {
        EXPECT_THAT(found("self." + member + " = self.u * self.v;"), ElementsAre("10: " + product)) << member;
        EXPECT_THAT(found("self." + member + " -= 1 + self.u * self.t;"), ElementsAre("15: " + product)) << member;
    }
    EXPECT_THAT(found("std::uint32_t other = 3; self.w = other * self.u;"), ElementsAre("35: " + product));
}

TEST(DoubtfulArithmetic, ProductsThatAreFine) {
    for (const auto* fine :
         {"self.u = self.u * self.v;", "self.n = self.u * self.v;", "self.w = self.w * self.u;", "self.f = 1.0f * self.u * self.v;",
          "self.f = self.f * self.u * self.v;", "self.w = static_cast<std::uint32_t>(self.u * self.v);", "self.k = 2 * self.u;",
          "self.w == self.u * self.v;", "self.w = self.u * static_cast<std::int64_t>(self.v);", "self.w = self.n * self.n;"})
        EXPECT_THAT(found(fine), IsEmpty()) << fine;
}

} // namespace
} // namespace tessera::jit::doubtful_arithmetic_test
