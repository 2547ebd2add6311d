#include "host/generate/draws.hpp"
#include "tests/support/hand_made.hpp"

#include <gtest/gtest.h>

#include <string>

namespace tessera::draws_test {
namespace {

const std::string tick = "TESSERA_CALL(Cell, tick, writes<&Cell::heat>) { self.heat += 1; }\n";

bool draws(const std::string& text, const std::string& headers = {}) {
    const DrawingFunctions drawing({{"m.cu", text + tick, "m.cu"}, {{"h.hpp", headers, "h.hpp"}}});
    return drawing.include("Cell", "tick");
}
bool walks(const std::string& text) { return DrawingFunctions({{"m.cu", text, "m.cu"}, {}}).include("Walker", "walk"); }

const std::string wander =
    "template<class Self> void wander(Self& self) {\n    if (self.energy > 0) self.migrate(self.random.below(3), 0);\n}\n";

TEST(Draws, AHelperThatDrawsMakesItsCallersDrawAndNoOthers) {
    const auto call = "TESSERA_CALL(Walker, walk, moves<moore>) { wander(self); }\n";
    EXPECT_TRUE(walks(wander + call));
    EXPECT_FALSE(draws(wander + call));
    EXPECT_FALSE(walks("TESSERA_CALL(Walker, walk) {}\n" + wander));
}

TEST(Draws, HelpersAreFollowedThroughOthersAndFromAnyFile) {
    const std::string roam = "namespace ways {\nauto roam(auto& self) -> int { return wander(self), 1; }\n}\n";
    const auto call = "TESSERA_CALL(Walker, walk, moves<moore>) { ways::roam(self); }\n";
    EXPECT_TRUE(walks(roam + call + wander)); // in any order
    EXPECT_FALSE(draws(roam + call + wander));
    EXPECT_FALSE(draws(call, roam + wander));
    const DrawingFunctions drawing({{"m.cu", call + tick, "m.cu"}, {{"ways.hpp", wander + roam, "ways.hpp"}}});
    EXPECT_TRUE(drawing.include("Walker", "walk"));
    EXPECT_FALSE(drawing.include("Cell", "tick"));
}

TEST(Draws, WhatHasNoNameToCallItByMakesAllDraw) {
    EXPECT_TRUE(draws("#define DRAW self.random.below(2)\n"));
    EXPECT_TRUE(draws("#define NAME(x) ran##x\n"));
    EXPECT_TRUE(draws("struct Dice { template<class Self> int roll(Self& self) { return self.random.below(6); } };\n"));
    EXPECT_TRUE(draws("constexpr auto roll = [](auto& self) { return self.random.below(6); };\n"));
    EXPECT_TRUE(draws(wander + "#define WANDER wander(self)\n"));
    EXPECT_TRUE(draws("", "#define DRAW self.random.below(2)\n"));
}

TEST(Draws, FunctionsThatDrawNothingAreKnown) {
    EXPECT_FALSE(draws("// random\nconst char* text = \"random\";\nstruct Cell { float heat; };\n"));
    EXPECT_FALSE(draws("TESSERA_CALL(Cell, start, sets<&Cell::heat>) { self.heat = self.random.uniform(); }\n"));
    EXPECT_TRUE(draws("TESSERA_CALL(Cell, tick, writes<&Cell::heat>) { self.heat = self.random.uniform(); }\n"));
}

// Of a function of two collections once.
TEST(Draws, KernelsAreToldOfFunctionsThatDrawNothing) {
    test::HandMade toy;
    const auto cell = toy.places("Cell", {test::hand_made_member("heat")});
    const auto hare = toy.agents("Hare", cell, {});
    toy.function(cell, "tick", {{"heat", test::changing()}});
    toy.function(cell, "roll", {{"heat", test::changing()}});
    toy.function(hare, "rest", {});
    toy.source.main = {
        "m.cu",
        tick + "TESSERA_CALL(Cell, roll, writes<&Cell::heat>) { self.heat = self.random.uniform(); }\nTESSERA_CALL(Hare, rest) {}\n",
        "m.cu"};
    const std::vector<std::string> keys{"places.cell.size = [4]", "places.north.size = [4]", "places.north.type = \"cell\"",
                                        "agents.hare.count = 1", "agents.hare.on = \"cell\""};
    EXPECT_EQ(draws_source(toy.bind(keys)), "#include <tessera/kernels/launch/draws.hpp>\n"
                                            "template<> inline constexpr bool tessera::draws_numbers<tessera_model::Cell_tick> = false;\n"
                                            "template<> inline constexpr bool tessera::draws_numbers<tessera_model::Hare_rest> = false;\n");
    toy.source.main.text += "#define DRAW self.random.below(2)\n";
    EXPECT_EQ(draws_source(toy.bind(keys)), "");
}

} // namespace
} // namespace tessera::draws_test
