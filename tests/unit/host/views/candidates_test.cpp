// Which ways of fusing steps are tried beside the best one.
#include "host/views/candidates.hpp"
#include "host/views/pipeline.hpp"
#include "host/views/tile.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::candidates_test {
namespace {

FusedView pipeline(int depth, int cells, int rows) { return pipeline_view(depth, cells, rows); }

TEST(Candidates, NeighboursAreNextInRowsOrDepthOrPlaces) {
    std::vector<FusedView> possible;
    for (const int depth : {2, 6, 8, 10})
        for (const int cells : {1, 2})
            for (const int rows : {16, 32, 64}) possible.push_back(pipeline(depth, cells, rows));
    EXPECT_THAT(neighbours_of(pipeline(8, 2, 32), possible),
                ::testing::UnorderedElementsAre(pipeline(8, 2, 16), pipeline(8, 2, 64), pipeline(6, 2, 32), pipeline(10, 2, 32),
                                                pipeline(8, 1, 32)));
    EXPECT_THAT(neighbours_of(pipeline(2, 1, 64), possible),
                ::testing::UnorderedElementsAre(pipeline(2, 1, 32), pipeline(6, 1, 64), pipeline(2, 2, 64)));
}

TEST(Candidates, OtherKindsAreNoNeighbours) {
    const std::vector<FusedView> possible{pipeline(4, 2, 16), tile_view(4, 2, 32), pipeline_view(4, 2, 32, 1), pipeline(4, 4, 32)};
    EXPECT_THAT(neighbours_of(pipeline(4, 2, 16), possible), ::testing::IsEmpty());
}

} // namespace
} // namespace tessera::candidates_test
