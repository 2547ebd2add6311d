// How many bytes a step has to move.
#include "host/setup/traffic.hpp"
#include "tests/support/hand_made.hpp"

#include <gtest/gtest.h>

namespace tessera::test::traffic_test {
namespace {

TEST(Traffic, IsOfEachPlaceWhatUsualPhasesReadAndWriteOnce) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a", Scalar::f64), hand_made_member("b", Scalar::u8, 3), hand_made_member("c")});
    const auto lake = toy.places("Lake", {hand_made_member("depth", Scalar::i16)});
    toy.function(cell, "mix", {{"a", looking({1, 1, 1})}, {"b", writing()}});
    toy.function(cell, "again", {{"a", reading()}, {"b", changing()}});
    toy.function(cell, "rare", {{"c", changing()}});
    toy.function(lake, "fill", {{"depth", changing()}});
    const std::vector<std::string> keys{"places.cell.size = [10, 6]", "places.lake.size = [7]"};
    const auto bytes = [&](const std::string& phases) {
        auto all = keys;
        all.push_back("phase = [" + phases + "]");
        return bytes_a_step(toy.bind(all));
    };
    EXPECT_EQ(bytes(R"({callAll="cell.mix"})"), 60 * (8 + 3));
    EXPECT_EQ(bytes(R"({callAll="cell.mix"}, {callAll="cell.again"})"), 60 * (8 + 2 * 3)) << "`a` is read once";
    EXPECT_EQ(bytes(R"({callAll="cell.mix"}, {callAll="lake.fill"}, {callAll="cell.rare", every=10})"), 60 * (8 + 3) + 7 * 2 * 2);
}

TEST(Traffic, PlacesAreThoseOfAllGridsAndNoAgents) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a")});
    const auto hare = toy.agents("Hare", cell, {});
    toy.function(cell, "tick", {{"a", changing()}});
    toy.function(hare, "rest", {});
    EXPECT_EQ(places_of(toy.bind({"places.cell.size = [10, 6, 2]", "places.north.size = [7]", "places.north.type = \"cell\"",
                                  "agents.hare.count = 3", "agents.hare.on = \"cell\""})),
              10 * 6 * 2 + 7);
}

} // namespace
} // namespace tessera::test::traffic_test
