// Which functions compile for several bytes at once, and for which values, by their text.
#include "host/generate/byte_body.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::byte_body_test {
namespace {

ByteBody of_text(const std::string& text, const std::string& headers = {}) {
    return byte_body({{"m.cu", text, "m.cu"}, {{"h.hpp", headers, "h.hpp"}}}, {"Cell", "tick"}, {"wet"});
}
ByteBody of(const std::string& body) {
    return of_text("TESSERA_CALL(Cell, tick, around<moore, &Cell::alive, &Cell::wet>, writes<&Cell::alive>) { " + body + " }\n");
}
int most_of(const std::string& body) {
    const auto found = of(body);
    EXPECT_EQ(found.most == 0, !found.why_not.empty()) << body << ": " << found.why_not;
    return found.most;
}
std::string why_not(const std::string& body) { return of(body).why_not; }

const std::string sum = "self.sum(moore, &Cell::alive)";

TEST(ByteBody, SumsDecideWhichValuesFitIntoSevenBits) {
    EXPECT_EQ(most_of("self.alive = self.alive;"), 127);
    EXPECT_EQ(most_of("const auto n = " + sum + "; self.alive = (n == 5) | ((n == 4) & self.alive);"), 3) << "26 x 3 = 78";
    EXPECT_EQ(most_of("const auto n = " + sum + "; self.alive = n + self.alive;"), 3) << "27 x 3 = 81";
    EXPECT_EQ(most_of("const auto n = " + sum + " + " + sum + "; self.alive = n == 3;"), 1) << "2 x 26 x 3 = 156";
    EXPECT_EQ(most_of("self.alive = self.sum(with_here<von_neumann>, &Cell::alive) > 3;"), 15) << "7 x 15 = 105";
    EXPECT_EQ(most_of("self.alive = self.sum(moore, &Cell::wet) > 3;"), 127) << "a bool is at most 1";
    EXPECT_EQ(most_of("self.alive = self.alive + self.at(west).alive | true;"), 63) << "63 + 63 has 7 bits";
}

TEST(ByteBody, OperatorsBindAsInCpp) {
    EXPECT_GT(most_of("self.alive = self.alive == 3 | self.at(offset<1, 0, -1>).alive != 2 & !self.wet;"), 0);
    EXPECT_GT(most_of("self.alive = 3 <= self.alive && self.alive < 7 || self.alive >= 9 ^ self.wet;"), 0);
    EXPECT_GT(most_of("auto a = select(self.wet, self.alive, self.at(below).alive); self.alive = a; self.wet = true;"), 0);
    EXPECT_GT(most_of("self.alive = (self.alive > 3) == (self.wet > false);"), 0);
    EXPECT_GT(most_of("self.alive = 200;"), 0);
}

TEST(ByteBody, WhatIsNoOperatorIsRefusedByName) {
    EXPECT_EQ(why_not("if (self.alive) self.alive = 0;"), "its text has `if`");
    EXPECT_EQ(why_not("self.alive = self.alive ? 1 : 0;"), "its text has `?`");
    EXPECT_EQ(why_not("self.alive += 1;"), "its text has `+`");
    EXPECT_EQ(why_not("int n = " + sum + "; self.alive = n;"), "its text has `int`");
    EXPECT_EQ(why_not("self.alive = self.random.below(3);"), "its text has `.`");
    EXPECT_EQ(why_not("self.alive = self.position.x == 3;"), "its text has `.`");
    EXPECT_EQ(why_not("self.alive = self.exists(west);"), "its text has `self.exists`");
    EXPECT_EQ(why_not("self.alive = limit == self.alive;"), "its text has `limit`");
    EXPECT_EQ(why_not("self.alive = self.alive - 1;"), "its text has `-`");
    EXPECT_EQ(why_not("self.alive = self.alive << 1;"), "its text has `<`");
    EXPECT_EQ(why_not("self.alive = 300;"), "its text has `300`");
    EXPECT_EQ(why_not("self.alive = 010;"), "its text has `010`");
    EXPECT_EQ(why_not("self.alive = self.alive"), "its text has `no end`");
    EXPECT_EQ(why_not("self.alive = self.sum(mine, &Cell::alive);"), "it sums over `mine`");
}

// Numbers of the text have no type that says how great they are: they are compared with, or assigned.
TEST(ByteBody, NumbersAreComparedWithAlone) {
    EXPECT_EQ(why_not("self.alive = self.alive + 1;"), "its text has a number beside `+`");
    EXPECT_EQ(why_not("self.alive = self.alive == 3 + self.alive;"), "its text has a number beside `+`");
    EXPECT_EQ(why_not("self.alive = self.alive & 1;"), "its text has a number beside `&`");
    EXPECT_EQ(why_not("self.alive = select(self.wet, 1, self.alive);"), "its text has a number in `select`");
    EXPECT_EQ(why_not("self.alive = 1 == 1;"), "it computes with numbers of its text alone");
    EXPECT_EQ(why_not("const auto few = 3; self.alive = few == self.alive;"), "few is a number that is the same for all places");
}

TEST(ByteBody, WhatIsTooGreatEvenForSixteenBitsIsRefused) {
    EXPECT_EQ(most_of("const auto n = " + sum + "; const auto m = n + n; self.alive = m > 3;"), 1) << "2 x 26 x 1 = 52";
    EXPECT_EQ(most_of("const auto n = " + sum + ", m = n + n; self.alive = m > 3;"), 0) << "two types by one auto";
    std::string body = "const auto a = " + sum + " + " + sum + "; const auto b = a + a; ";
    EXPECT_EQ(of(body + "self.alive = b > 3;").most, 1) << "4 x 26 = 104, and 4 x 26 x 255 = 26520";
    EXPECT_EQ(why_not(body + "const auto c = b + a; self.alive = c > 3;"), "what it computes needs too many bits");
}

TEST(ByteBody, AMemberIsNotReadAfterItIsAssigned) {
    EXPECT_EQ(why_not("self.alive = self.wet; self.wet = self.alive;"), "it reads alive after it assigned it");
    EXPECT_EQ(why_not("self.alive = true; self.alive = self.wet;"), "it assigns alive more than once");
    EXPECT_GT(most_of("self.alive = true; self.wet = self.at(west).alive;"), 0) << "which is as it was before the phase";
}

TEST(ByteBody, NamesMeanWhatTheSdkMeans) {
    const std::string tick = "TESSERA_CALL(Cell, tick, writes<&Cell::alive>) { self.alive = self.wet; }\n";
    EXPECT_GT(of_text(tick).most, 0);
    EXPECT_GT(of_text("struct Cell { bool wet; };\n", tick).most, 0) << "in a header";
    const auto redefined = "the model's text defines macros or names of the SDK";
    EXPECT_EQ(of_text("#define wet alive\n" + tick).why_not, redefined);
    EXPECT_EQ(of_text("inline constexpr auto moore = offsets<west>;\n" + tick).why_not, redefined);
    EXPECT_EQ(of_text(tick, "template<class T> T select(bool, T a, T) { return a; }\n").why_not, redefined);
    EXPECT_EQ(of_text(tick + tick).why_not, "its name is not the only one");
    EXPECT_EQ(of_text(tick, tick).why_not, "its name is not the only one");
    EXPECT_EQ(of_text("").why_not, "its text was not found");
    EXPECT_EQ(of_text(tick.substr(0, tick.size() - 1) + " TESSERA_PARAM(int, x, 1);\n").why_not, "its text shares a line with another");
}

} // namespace
} // namespace tessera::byte_body_test
