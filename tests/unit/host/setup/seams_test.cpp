// Which rows partitions send each other, compared with what a straight loop finds row by row.
#include "host/setup/seams.hpp"
#include "tests/support/hand_made.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tessera::seams_test {
namespace {

using run_file::Boundary;

CollectionSetup grid(std::int64_t rows, Boundary boundary) {
    CollectionSetup collection;
    collection.size = {4, rows, 1};
    collection.boundary = {Boundary::open, boundary, Boundary::open};
    return collection;
}
std::vector<RowRange> stripes_of(std::int64_t rows, const std::vector<std::int64_t>& cuts) {
    std::vector<RowRange> stripes;
    std::int64_t first = 0;
    for (const auto at : cuts) stripes.push_back({std::exchange(first, at), at});
    stripes.push_back({first, rows});
    return stripes;
}

// One step towards the grid at a time.
std::optional<std::int64_t> walk(std::int64_t row, std::int64_t n, Boundary boundary) {
    while (row < 0 || row >= n) {
        if (boundary == Boundary::torus)
            row += row < 0 ? n : -n;
        else if (boundary == Boundary::reflect)
            row = row < 0 ? -1 - row : 2 * n - 1 - row;
        else
            return {};
    }
    return row;
}

using Sources = std::map<std::int64_t, std::int64_t>; // a ghost row, and the row that it repeats

Sources sent(const CollectionSetup& collection, const std::vector<RowRange>& stripes, std::size_t partition, int ghost) {
    Sources found;
    for (const auto& [rows, owner, first] : rows_sent_to(collection, stripes, partition, ghost))
        for (auto row = rows.first; row < rows.end; ++row) {
            const auto from = first + row - rows.first;
            EXPECT_TRUE(stripes[owner].first <= from && from < stripes[owner].end);
            EXPECT_TRUE(found.emplace(row, from).second) << "row " << row << " is sent twice";
        }
    return found;
}

TEST(Seams, AreWhatTheRowsAroundAStripeRepeat) {
    EXPECT_TRUE(rc::check("of any grid, boundary and cuts", [] {
        const auto n = *rc::gen::inRange<std::int64_t>(1, 20);
        const auto boundary = *rc::gen::element(Boundary::torus, Boundary::fixed, Boundary::reflect, Boundary::open);
        const int ghost = *rc::gen::inRange(0, 25);
        auto cuts = *rc::gen::container<std::vector<std::int64_t>>(3, rc::gen::inRange<std::int64_t>(0, n + 1));
        std::sort(cuts.begin(), cuts.end());
        const auto collection = grid(n, boundary);
        const auto stripes = stripes_of(n, cuts);
        for (std::size_t p = 0; p < stripes.size(); ++p) {
            const auto [first, end] = stripes[p];
            Sources expected;
            for (auto row = first - ghost; row < end + ghost; ++row)
                if (const auto from = walk(row, n, boundary); from && first < end && (row < first || row >= end)) expected[row] = *from;
            RC_ASSERT(sent(collection, stripes, p, ghost) == expected);
        }
    }));
}

TEST(Seams, OfRowsThatFollowEachOtherAreOne) {
    const auto rows = rows_sent_to(grid(12, Boundary::torus), stripes_of(12, {5, 5, 9}), 0, 3);
    ASSERT_EQ(rows.size(), 2u); // beyond the torus' edge, and the stripe behind the empty one
    EXPECT_EQ(rows[0].rows, (RowRange{-3, 0}));
    EXPECT_EQ(rows[0].owner, 3u);
    EXPECT_EQ(rows[0].first, 9);
    EXPECT_EQ(rows[1].rows, (RowRange{5, 8}));
    EXPECT_EQ(rows[1].owner, 2u);
}

// Rows that a partition has made beyond the grid's ends, which are copies of its own.
TEST(Seams, OfMirrorsAreCopiedFromWithin) {
    EXPECT_TRUE(rc::check("of any rows that were made", [] {
        const auto n = *rc::gen::inRange<std::int64_t>(1, 20);
        const auto boundary = *rc::gen::element(Boundary::torus, Boundary::fixed, Boundary::reflect, Boundary::open);
        const auto begin = *rc::gen::inRange<std::int64_t>(-12, n); // some of the grid's
        const RowRange rows{begin, *rc::gen::inRange<std::int64_t>(std::max<std::int64_t>(begin, 0) + 1, 40)};
        Sources found, expected;
        for (const auto& [ghosts, owner, first] : rows_mirrored(grid(n, boundary), 3, rows)) {
            RC_ASSERT(owner == 3u);
            for (auto row = ghosts.first; row < ghosts.end; ++row) RC_ASSERT(found.emplace(row, first + row - ghosts.first).second);
        }
        for (auto row = rows.first; row < rows.end; ++row)
            if (boundary == Boundary::reflect && (row < 0 || row >= n)) expected[row] = *walk(row, n, boundary);
        RC_ASSERT(found == expected);
    }));
}

// Agents that go one row down or two up, and children two rows down at most, on a grid of rows.
class SeamsOfAgents : public ::testing::Test {
protected:
    SeamsOfAgents() {
        test::HandMade toy;
        const auto cell = toy.places("Cell", {test::hand_made_member("grass")});
        const auto hare = toy.agents("Hare", cell, {test::hand_made_member("fat")});
        toy.function(cell, "grow", {{"grass", test::changing()}});
        auto& hop = toy.function(hare, "hop", {{"fat", test::changing()}});
        hop.agent_uses.push_back(agent_use(hare, 1, 2));
        hop.agent_uses.back().moves = true;
        hop.agent_uses.push_back(agent_use(hare, 3, 1));
        hop.agent_uses.back().spawns = true;
        hop.agent_uses.back().most = 1;
        setup_ = toy.bind({"places.cell.size = [9, 30]", "agents.hare.count = 4",
                           R"(phase = [{callAll="cell.grow"}, {callAll="hare.hop"}, {manageAll="hare"}])"});
    }
    static model::AgentUse agent_use(std::size_t row, int low, int high) {
        model::AgentUse use;
        use.row = row;
        for (auto& reach : use.low) reach[1] = low;
        for (auto& reach : use.high) reach[1] = high;
        for (auto* reach : {&use.low, &use.high}) (*reach)[0][1] = 0;
        return use;
    }
    [[nodiscard]] const KernelSetup& kernel(const std::string& name) const {
        return *std::find_if(setup_.kernels.begin(), setup_.kernels.end(), [&](const auto& each) { return each.kind->name() == name; });
    }
    [[nodiscard]] ColumnId hares(Role role) const { return setup_.column_of(CollectionId(1), role); }

    tessera::Setup setup_;
};

// Who is in others' rows and wants to come in is settled here too.
TEST_F(SeamsOfAgents, AreSettledAsFarAsAnybodyComes) {
    EXPECT_EQ(rows_settled_beyond(setup_, kernel("move_requests")), 2);
    EXPECT_EQ(rows_settled_beyond(setup_, kernel("births")), 3);
    EXPECT_EQ(rows_settled_beyond(setup_, kernel("slots_and_birth_requests")), 0);
    EXPECT_EQ(rows_settled_beyond(setup_, kernel("function")), 0);
}

// Two of three rows apart may want the same place: who decides for one sees the other.
TEST_F(SeamsOfAgents, AreKnownAsFarAsRivalsStand) {
    const auto& move_requests = kernel("move_requests");
    EXPECT_EQ(rows_sent_before(setup_, move_requests, hares(Role::code)), 1 + 2);
    EXPECT_EQ(rows_sent_before(setup_, move_requests, hares(Role::id)), 1 + 2) << "by ids it is decided between them";
    EXPECT_EQ(rows_sent_before(setup_, move_requests, hares(Role::mark)), 0) << "marks are only written";
    EXPECT_EQ(rows_sent_before(setup_, move_requests, hares(Role::member)), 2) << "of those who come";
    EXPECT_EQ(rows_of_memory(setup_, move_requests, hares(Role::code)), 2 + 1 + 2);
    EXPECT_EQ(rows_of_memory(setup_, move_requests, hares(Role::mark)), 2 + 2);
}

TEST(Seams, OfALineThereAreNone) {
    auto collection = grid(1, Boundary::torus);
    collection.dimensions = 1;
    EXPECT_TRUE(rows_sent_to(collection, stripes_of(1, {1}), 0, 2).empty());
    ColumnSetup column;
    column.layout.ghost = {3, 0, 0};
    EXPECT_EQ(collection.ghost_rows(column), 0) << "what is beside it along x are no rows";
}

} // namespace
} // namespace tessera::seams_test
