// Which rows of each grid the devices of a run make.
#include "device_runtime/error.hpp"
#include "host/distribution/arranged.hpp"
#include "host/distribution/stripes.hpp"
#include "tests/support/hand_made.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cstdlib>

namespace tessera::test::stripes_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

tessera::Setup life_of(const std::string& rows, const std::vector<std::string>& keys = {}) {
    static std::vector<std::unique_ptr<Prepared>> kept; // a setup points to its model
    kept.push_back(std::make_unique<Prepared>(
        prepare({plugin("life"), keys + std::vector<std::string>{"output=[]", "run.steps=1", "places.cell.size=[8," + rows + "]"}, {}},
                compiler())));
    return kept.back()->setup;
}

std::vector<RowRange> stripes_over(std::size_t partitions, const tessera::Setup& setup) {
    return divided(setup, partitions).stripes.front();
}

TEST(Stripes, AreEqualUnlessToldOtherwise) {
    const auto bound = life_of("10");
    const auto setup = arranged(bound, divided(bound, 4));
    EXPECT_THAT(setup.distribution().stripes.front(), ElementsAre(RowRange{0, 3}, RowRange{3, 5}, RowRange{5, 8}, RowRange{8, 10}));
    EXPECT_TRUE(setup.in_bands());
    EXPECT_EQ(setup.partitions(), 4u);
}

TEST(Stripes, OfOneDeviceAreTheWholeGrid) {
    const auto bound = life_of("10");
    const auto setup = arranged(bound, divided(bound, 1));
    EXPECT_EQ(setup.stripe(CollectionId(0), 0), (RowRange{0, 10}));
    EXPECT_FALSE(setup.in_bands());
    EXPECT_EQ(setup.partitions(), 1u);
}

TEST(Stripes, FollowTheWeights) {
    EXPECT_THAT(stripes_over(3, life_of("100", {"run.devices=[\"cpu\",\"cpu\",\"cpu\"]", "run.weights=[2,1,1]"})),
                ElementsAre(RowRange{0, 50}, RowRange{50, 75}, RowRange{75, 100}));
}

TEST(Stripes, BeginAtTheCutsAndMayBeEmpty) {
    EXPECT_THAT(stripes_over(3, life_of("10", {"run.devices=[\"cpu\",\"cpu\",\"cpu\"]", "run.weights=[2,1,1]", "places.cell.cuts=[4,4]"})),
                ElementsAre(RowRange{0, 4}, RowRange{4, 4}, RowRange{4, 10}));
}

// As each collection on devices of its own.
TEST(Stripes, AreOfTheDevicesThatMakeTheCollection) {
    const std::string three = "run.devices=[\"cuda:0\",\"cuda:1\",\"cuda:0\"]";
    EXPECT_THAT(stripes_over(3, life_of("10", {three, "places.cell.devices=\"cuda:1\""})),
                ElementsAre(RowRange{0, 0}, RowRange{0, 10}, RowRange{10, 10}));
    EXPECT_THAT(stripes_over(3, life_of("10", {three, "run.weights=[3,5,1]", "places.cell.devices=[\"cuda:0\",\"cuda:0\"]"})),
                ElementsAre(RowRange{0, 8}, RowRange{8, 8}, RowRange{8, 10}));
    EXPECT_THAT(stripes_over(3, life_of("10", {three, "places.cell.devices=[\"cuda:1\",\"cuda:0\"]", "places.cell.cuts=[7]"})),
                ElementsAre(RowRange{0, 7}, RowRange{7, 10}, RowRange{10, 10}));
    EXPECT_THAT(stripes_over(3, life_of("2", {three, "places.cell.devices=[\"cuda:1\",\"cuda:0\"]"})),
                ElementsAre(RowRange{0, 1}, RowRange{1, 2}, RowRange{2, 2}))
        << "no more rows than devices";
}

// A smaller world is never refused where a larger one is not.
TEST(Stripes, OfFewerRowsThanDevicesAreOfTheFirst) {
    EXPECT_THAT(stripes_over(3, life_of("1")), ElementsAre(RowRange{0, 1}, RowRange{1, 1}, RowRange{1, 1}));
    EXPECT_THAT(stripes_over(4, life_of("2")), ElementsAre(RowRange{0, 1}, RowRange{1, 2}, RowRange{2, 2}, RowRange{2, 2}));
    const std::string three = "run.devices=[\"cpu\",\"cuda:1\",\"cuda:2\"]", two = "places.cell.devices=[\"cuda:1\",\"cuda:2\"]";
    EXPECT_THAT(stripes_over(3, life_of("1", {three, two})), ElementsAre(RowRange{0, 0}, RowRange{0, 1}, RowRange{1, 1}))
        << "the first that may make them";
}

TEST(Stripes, AreOfNoOtherDevicesThanTheRuns) {
    const auto error = [](const std::vector<std::string>& keys, std::size_t partitions) -> std::string {
        const auto setup = life_of("10", keys);
        try {
            (void)divided(setup, partitions);
        } catch (const Error& thrown) {
            return thrown.what();
        }
        return "none";
    };
    const std::string two = "run.devices=[\"cpu\",\"cuda:1\"]";
    EXPECT_EQ(error({two, "places.cell.devices=\"cuda:0\""}, 2),
              "--set places.cell.devices=\"cuda:0\": `places.cell.devices` names cuda:0 "
              "(`run.devices` does not name it, or less often) name the device there as well");
    EXPECT_THAT(error({two, "places.cell.devices=[\"cpu\",\"cpu\"]"}, 2), HasSubstr("`places.cell.devices` names cpu (`run.devices`"));
    EXPECT_THAT(error({"places.cell.devices=\"cpu\""}, 2),
                HasSubstr("are not among those of the run (the run leaves its devices to the program)"));
    EXPECT_THAT(error({two, "places.cell.devices=\"cpu\"", "places.cell.cuts=[5]"}, 2),
                HasSubstr("`places.cell.cuts` makes 2 stripes of the grid (it is made by one device) give one cut less than "
                          "`places.cell.devices` has devices"));
}

RC_GTEST_PROP(Stripes, CoverEachRowOnceForAnyWeights, ()) {
    const auto weights = *rc::gen::container<std::vector<int>>(4, rc::gen::inRange(1, 1000000));
    std::string text;
    for (const int weight : weights) text += (text.empty() ? "" : ",") + std::to_string(weight) + "e-3";
    const auto setup = life_of("37", {"run.devices=[\"cpu\",\"cpu\",\"cpu\",\"cpu\"]", "run.weights=[" + text + "]"});
    std::int64_t next = 0;
    for (const auto& stripe : stripes_over(4, setup)) {
        RC_ASSERT(stripe.first == next);
        RC_ASSERT(stripe.end >= stripe.first);
        next = stripe.end;
    }
    RC_ASSERT(next == 37);
}

// Weights whose sum is no number any more.
TEST(Stripes, OfHugeWeightsAreInProportion) {
    EXPECT_THAT(stripes_over(3, life_of("9", {"run.devices=[\"cpu\",\"cpu\",\"cpu\"]", "run.weights=[1e308,1e308,1e308]"})),
                ElementsAre(RowRange{0, 3}, RowRange{3, 6}, RowRange{6, 9}));
}

// A page counted byte by byte: how many of a column's bytes are on the wrong side of a seam, where pages begin at the first seam's row and
// each belongs to whoever makes its middle.
std::int64_t bytes_on_the_wrong_side(std::int64_t row_bytes, std::int64_t first_seam, std::int64_t seam, std::int64_t page) {
    std::int64_t wrong = 0;
    const auto origin = (first_seam - seam) * row_bytes; // from the first byte of the upper side
    for (auto byte = -page; byte < page; byte += Layout::line) {
        const auto begin = origin + (byte < origin ? -1 : (byte - origin) / page) * page;
        const bool upper_has_page = begin + page / 2 >= 0;
        if (upper_has_page != (byte >= 0)) wrong += Layout::line;
    }
    return wrong;
}

RC_GTEST_PROP(Stripes, SettleOnPagesWithinAHundredthOfAStripe, ()) {
    const std::int64_t page = 1 << 14;
    const auto rows = *rc::gen::inRange<std::int64_t>(4, 4000);
    const auto width = *rc::gen::inRange<std::int64_t>(1, 900);
    auto setup = life_of("1"); // one column, of a byte a place
    auto& cells = setup.collections.front();
    cells.size = {width, rows, 1};
    auto& layout = cells.columns.front().layout;
    layout = make_layout(layout.type, layout.elements, cells.size, layout.ghost);
    auto distribution = divided(setup, 4);
    const auto before = distribution.stripes.front();
    settle_on_pages(setup, distribution, page);
    const auto& after = distribution.stripes.front();
    RC_ASSERT(after.front().first == 0);
    RC_ASSERT(after.back().end == rows);
    RC_ASSERT(after[0] == before[0]);
    for (std::size_t p = 1; p + 1 < after.size(); ++p) {
        const auto seam = after[p].end, was = before[p].end;
        RC_ASSERT(seam == after[p + 1].first);
        const auto most = std::min(before[p].rows(), before[p + 1].rows()) / 100;
        RC_ASSERT(std::abs(seam - was) <= most);
        const auto wrong = bytes_on_the_wrong_side(layout.row, before[0].end, seam, page);
        for (auto other = was - most; other <= was + most; ++other)
            RC_ASSERT(wrong <= bytes_on_the_wrong_side(layout.row, before[0].end, other, page));
    }
}

TEST(Stripes, ThatAreMeasuredMoveInProportionToTheSpeeds) {
    const auto setup = life_of("100", {"run.devices=[\"cpu\",\"cpu\",\"cpu\"]", "places.cell.cuts=\"measured\""});
    auto distribution = divided(setup, 3);
    ASSERT_TRUE(cuts_are_measured(setup, setup.collections.front()));
    move_cuts(setup, distribution, {1e-3, 2e-3, 1e-3});
    EXPECT_THAT(distribution.stripes.front(), ElementsAre(RowRange{0, 25}, RowRange{25, 75}, RowRange{75, 100}));
    const auto given = life_of("100", {"run.devices=[\"cpu\",\"cpu\"]", "places.cell.cuts=[10]"});
    auto as_given = divided(given, 2);
    move_cuts(given, as_given, {1, 3});
    EXPECT_THAT(as_given.stripes.front(), ElementsAre(RowRange{0, 10}, RowRange{10, 100})) << "the run file says so";
}

// Places whose functions see so many rows, one after the other.
tessera::Setup seeing(const std::vector<int>& reaches, int rows) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a"), hand_made_member("b")});
    for (const int reach : reaches)
        toy.function(cell, "look_" + std::to_string(reach), {{"a", looking({9, reach, 0}, {0, reach / 2, 0})}, {"b", writing()}});
    return toy.bind({"places.cell.size = [8, " + std::to_string(rows) + "]"});
}

TEST(OwnMemory, HasGhostsForTheStepsBetweenTwoExchanges) {
    const auto setup = seeing({1, 3}, 400);
    auto distribution = divided(setup, 2);
    EXPECT_EQ(reach_of_step(setup, CollectionId(0)), 1 + 3);
    EXPECT_EQ(steps_with_room(setup, distribution), 200u / (2 * 4)) << "half of a stripe on either side";
    EXPECT_EQ(steps_worth_ghosts(setup, distribution), 16u);
    give_own_memory(setup, distribution, 2, 5);
    EXPECT_EQ(distribution.steps_a_cycle, 2u);
    const auto own = arranged(setup, distribution);
    EXPECT_TRUE(own.own_memory());
    for (const auto& column : own.collections.front().columns) {
        EXPECT_EQ(own.collections.front().ghost_rows(column), 5 * 4 + 1);
        const auto expected = make_layout(Scalar::f32, 1, {8, 400, 1}, column.layout.ghost);
        EXPECT_EQ(column.layout.element, expected.element);
        EXPECT_EQ(column.layout.bytes, expected.bytes);
    }
    EXPECT_EQ(own.collections.front().columns[0].layout.ghost[0], 9) << "along rows as before";
}

TEST(OwnMemory, HasRoomForOneStepAtLeast) {
    const auto room = [](const tessera::Setup& setup) { return steps_with_room(setup, divided(setup, 2)); };
    EXPECT_EQ(room(seeing({3}, 4)), 1u);
    EXPECT_EQ(room(seeing({3}, 40)), 3u);
    EXPECT_EQ(room(seeing({0}, 40)), 1024u) << "nobody looks at others' rows";
}

// Where agents in a list stand in memory follows from all of them.
TEST(OwnMemory, OfAgentsInAListIsOfOneDevice) {
    HandMade toy;
    const auto cell = toy.places("Cell", {hand_made_member("a")});
    const auto hare = toy.agents("Hare", cell, {});
    toy.function(cell, "tick", {{"a", changing()}});
    toy.function(hare, "rest", {});
    const auto stripes = [&](const std::string& capacity, bool& reason) {
        const auto setup = toy.bind({"places.cell.size = [8, 40]", "places.lake.size = [8, 40]", "places.lake.type = \"cell\"",
                                     "agents.hare.on = \"cell\"", "agents.hare.count = 5", "agents.hare.capacity = " + capacity});
        auto distribution = divided(setup, 2);
        reason = keep_whole_under_agents(setup, distribution) == std::vector{CollectionId(2)};
        EXPECT_THAT(distribution.stripes[1], ElementsAre(RowRange{0, 20}, RowRange{20, 40})) << "nobody stands there";
        EXPECT_EQ(distribution.stripes[2], distribution.stripes[0]) << "agents are where their places are";
        return distribution.stripes[0];
    };
    bool is_reason = false;
    EXPECT_THAT(stripes("\"unlimited\"", is_reason), ElementsAre(RowRange{0, 40}, RowRange{40, 40}));
    EXPECT_TRUE(is_reason);
    EXPECT_THAT(stripes("2", is_reason), ElementsAre(RowRange{0, 20}, RowRange{20, 40}));
    EXPECT_FALSE(is_reason);
}

TEST(Stripes, ThatAreGivenDoNotSettle) {
    const auto setup = life_of("1000", {"run.devices=[\"cpu\",\"cpu\",\"cpu\"]", "places.cell.cuts=[333,666]"});
    auto distribution = divided(setup, 3);
    settle_on_pages(setup, distribution, 1 << 14);
    EXPECT_THAT(distribution.stripes.front(), ElementsAre(RowRange{0, 333}, RowRange{333, 666}, RowRange{666, 1000}));
}

} // namespace
} // namespace tessera::test::stripes_test
