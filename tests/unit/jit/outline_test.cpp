#include "jit/outline.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::jit::outline_test {
namespace {

using ::testing::ElementsAre;

constexpr const char* text = R"(struct Cell { float a; }; // TESSERA_CALL(Not, here, x) {}
TESSERA_PLACE(Cell, alive,
              heat);
TESSERA_AGENT(Ant, on<Field, 2>, sugar, metabolism);
TESSERA_CALL(Cell, tick, around< moore,&Cell::alive >,
             writes<&Cell::alive>) {
    const char* text = "}";
    if (self.alive) { self.alive = 0; }
}
TESSERA_PARAM(float, rate, 1.0f);
namespace inner { TESSERA_INIT(Cell, start, sets<&Cell::heat>) { self.heat = 1; } }
TESSERA_CALL(Cell, rest) {}
)";

TEST(Outline, FindsFunctionsWithTheirAccessAndLines) {
    const auto outline = outline_of(text);
    ASSERT_EQ(outline.functions.size(), 3u);
    EXPECT_EQ(outline.functions[0].row, "Cell");
    EXPECT_EQ(outline.functions[0].function, "tick");
    EXPECT_EQ(outline.functions[0].access, "around<moore, &Cell::alive>, writes<&Cell::alive>");
    EXPECT_EQ(outline.functions[0].first_line, 5);
    EXPECT_EQ(outline.functions[0].last_line, 9);
    EXPECT_EQ(outline.functions[1].function, "start");
    EXPECT_EQ(outline.functions[2].access, "");
    EXPECT_EQ(outline.function_at(7)->function, "tick");
    EXPECT_EQ(outline.function_at(10), nullptr);
}

TEST(Outline, FindsRowsWithTheirMembers) {
    const auto outline = outline_of(text);
    ASSERT_NE(outline.find_row("Cell"), nullptr);
    EXPECT_THAT(outline.find_row("Cell")->members, ElementsAre("alive", "heat"));
    EXPECT_THAT(outline.find_row("Ant")->members, ElementsAre("sugar", "metabolism"));
    EXPECT_EQ(outline.find_row("Field"), nullptr);
}

TEST(Outline, ATextThatBreaksOffIsNoTrouble) {
    const std::string whole = text;
    for (std::size_t size = 0; size <= whole.size(); ++size) EXPECT_LE(outline_of(whole.substr(0, size)).functions.size(), 3u);
}

TEST(Outline, AccessListsComeApartAtTheirOwnCommas) {
    EXPECT_THAT(access_entries("around<moore, &A::b>, writes<&A::b, &A::c>"), ElementsAre("around<moore, &A::b>", "writes<&A::b, &A::c>"));
    EXPECT_THAT(access_entries(""), ElementsAre());
}

} // namespace
} // namespace tessera::jit::outline_test
