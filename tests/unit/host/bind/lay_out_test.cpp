// How wide the ghosts of a column are, which columns have a second buffer, and what members that change places have in common.
#include "tests/support/hand_made.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tessera::test::lay_out_test {
namespace {

using ::testing::ElementsAre;

HandMade toy() {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a"), hand_made_member("b"), hand_made_member("c", Scalar::f32)});
    toy.function(cell, "far", {{"a", looking({1, 0, 0}, {3, 0, 0})}, {"b", writing()}});
    toy.function(cell, "wide", {{"a", looking({0, 2, 0}, {0, 1, 0})}, {"c", writing()}});
    toy.function(cell, "around", {{"b", and_writes(looking({1, 1, 1}))}});
    toy.function(cell, "here", {{"c", changing()}});
    return toy;
}
Setup setup_of(const std::string& phases, std::vector<std::string> keys = {}, const std::string& size = "[10, 6]") {
    keys.push_back("places.cell.size = " + size);
    keys.push_back("phase = [" + phases + "]");
    return toy().bind(keys);
}
const std::array<int, 3>& ghost(const Setup& setup, std::size_t column) {
    return setup.collections[CollectionId(0)].columns[column].layout.ghost;
}
bool has_spare(const Setup& setup, std::size_t column) { return setup.collections[CollectionId(0)].columns[column].has_spare; }

TEST(LayOut, GivesGhostsAsFarAsAnyFunctionThatIsCalledSees) {
    const auto both = setup_of(R"({callAll="cell.far"}, {callAll="cell.wide"})");
    EXPECT_THAT(ghost(both, 0), ElementsAre(3, 2, 0));
    EXPECT_THAT(ghost(both, 1), ElementsAre(0, 0, 0));
    EXPECT_THAT(ghost(setup_of(R"({callAll="cell.far"})"), 0), ElementsAre(3, 0, 0));
    EXPECT_THAT(ghost(setup_of(R"({callAll="cell.far"})", {}, "[40]"), 0), ElementsAre(3, 0, 0));
    EXPECT_THAT(ghost(setup_of(R"({callAll="cell.around"})", {}, "[4, 5, 6]"), 1), ElementsAre(1, 1, 1));
}

TEST(LayOut, PutsColumnsWhereTheirGhostsHaveRoom) {
    const auto setup = setup_of(R"({callAll="cell.far"}, {callAll="cell.wide"})");
    const auto& layout = setup.collections[CollectionId(0)].columns[0].layout;
    const auto expected = make_layout(Scalar::f32, 1, {10, 6, 1}, {3, 2, 0});
    EXPECT_EQ(layout.row, expected.row);
    EXPECT_EQ(layout.origin, expected.origin);
    EXPECT_EQ(layout.bytes, expected.bytes);
    EXPECT_EQ(layout.bytes, 128 + 4 * 32 * 10 + 128) << "10 rows of a line of 32 floats";
}

TEST(LayOut, GivesASecondBufferToWhatAFunctionSeesAroundItselfAndWrites) {
    const auto setup = setup_of(R"({callAll="cell.far"}, {callAll="cell.around"}, {callAll="cell.here"})");
    EXPECT_FALSE(has_spare(setup, 0)) << "it is only seen";
    EXPECT_TRUE(has_spare(setup, 1));
    EXPECT_FALSE(has_spare(setup, 2)) << "a place changes its own in place";
}

// b is seen, c is given b's column, and a is given c's: all three have to have b's ghosts.
TEST(LayOut, GivesMembersThatChangePlacesTheSameGhosts) {
    const auto setup =
        setup_of(R"({callAll="cell.around"}, {rotate=["cell.a", "cell.c"], every=2}, {rotate=["cell.b", "cell.c"], every=3})");
    for (std::size_t c = 0; c < 3; ++c) EXPECT_THAT(ghost(setup, c), ElementsAre(1, 1, 0)) << c;
}

TEST(LayOut, RefusesToRotateWhatLooksDifferentFromWithin) {
    const std::string rotates = R"({callAll="cell.around"}, {rotate=["cell.b", "cell.c"]})";
    const std::vector<std::string> fixed{"places.cell.boundary = [\"torus\", \"fixed\"]", "places.cell.outside.c = 7"};
    EXPECT_EQ(what_fails([&] { (void)setup_of(rotates, fixed); }),
              "run.toml:5:35: cannot rotate cell.b, cell.c (the members have different values outside of the boundary) give them the same "
              "default or `outside` value");
    EXPECT_EQ(what_fails([&] { (void)setup_of(R"({callAll="cell.here"}, {rotate=["cell.b", "cell.c"]})", fixed); }), "")
        << "nobody looks there";
    auto same = fixed;
    same.push_back("places.cell.outside.b = 7");
    EXPECT_EQ(what_fails([&] { (void)setup_of(rotates, same); }), "");
}

// Of an open boundary it is the defaults that are seen.
TEST(LayOut, ComparesDefaultsBeyondAnOpenBoundary) {
    auto toy = lay_out_test::toy();
    toy.description.rows[0].members[2].initial = bytes_in<float>({1.5f});
    const auto fails = [&](const std::string& boundary) {
        return what_fails([&] {
            (void)toy.bind({"places.cell.size = [10, 6]", "places.cell.boundary = \"" + boundary + "\"",
                            R"(phase = [{callAll="cell.around"}, {rotate=["cell.b", "cell.c"]}])"});
        });
    };
    EXPECT_THAT(fails("open"), ::testing::HasSubstr("different values outside"));
    EXPECT_EQ(fails("torus"), "");
    EXPECT_EQ(fails("reflect"), "");
}

} // namespace
} // namespace tessera::test::lay_out_test
