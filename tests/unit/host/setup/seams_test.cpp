// Which rows partitions send each other, compared with what a straight loop finds row by row.
#include "host/setup/seams.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>
#include <vector>

namespace tessera {
namespace {

using run_file::Boundary;

CollectionSetup grid(std::int64_t rows, Boundary boundary) {
    CollectionSetup collection;
    collection.size = {4, rows, 1};
    collection.boundary = {Boundary::open, boundary, Boundary::open};
    return collection;
}
std::vector<Band> stripes_of(std::int64_t rows, const std::vector<std::int64_t>& cuts) {
    std::vector<Band> stripes;
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

Sources sent(const CollectionSetup& collection, const std::vector<Band>& stripes, std::size_t partition, int ghost) {
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
    EXPECT_EQ(rows[0].rows, (Band{-3, 0}));
    EXPECT_EQ(rows[0].owner, 3u);
    EXPECT_EQ(rows[0].first, 9);
    EXPECT_EQ(rows[1].rows, (Band{5, 8}));
    EXPECT_EQ(rows[1].owner, 2u);
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
} // namespace tessera
