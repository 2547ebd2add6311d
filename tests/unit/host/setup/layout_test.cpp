// Where columns stand in memory: nothing overlaps, lines begin where they should, and the arithmetic holds far beyond 2^31 places.
#include "host/setup/layout.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tessera::layout_test {
namespace {

__extension__ using Wide = __int128;

TEST(Layout, GivesEveryCellItsPlace) {
    for (const auto& size : {Extents{1, 1, 1}, {7, 1, 1}, {5, 3, 1}, {130, 2, 3}, {3, 4, 5}})
        for (const auto& ghost : {std::array<int, 3>{0, 0, 0}, {1, 1, 0}, {3, 0, 2}, {16, 2, 1}})
            for (const auto type : {Scalar::boolean, Scalar::i16, Scalar::f64})
                for (const int elements : {1, 3}) {
                    const auto layout = make_layout(type, elements, size, ghost);
                    const auto bytes = static_cast<std::int64_t>(size_of(type));
                    std::set<std::int64_t> taken;
                    for (int e = 0; e < elements; ++e)
                        for (std::int64_t z = -ghost[2]; z < size[2] + ghost[2]; ++z)
                            for (std::int64_t y = -ghost[1]; y < size[1] + ghost[1]; ++y) {
                                EXPECT_EQ(layout.index(0, y, z, e) * bytes % 128, 0) << "a row begins within a line";
                                for (std::int64_t x = -ghost[0]; x < size[0] + ghost[0]; ++x) taken.insert(layout.index(x, y, z, e));
                            }
                    const auto cells = (size[0] + 2 * ghost[0]) * (size[1] + 2 * ghost[1]) * (size[2] + 2 * ghost[2]) * elements;
                    EXPECT_EQ(static_cast<std::int64_t>(taken.size()), cells) << "two cells stand at one place";
                    EXPECT_GE(*taken.begin(), 0);
                    // Behind the last cell there is room for the rest of a vector of 16 bytes.
                    EXPECT_LE((*taken.rbegin() + 1) * bytes + 16, layout.bytes);
                }
}

// Against numbers of 128 bits.
TEST(Layout, HoldsForTheLargestGrids) {
    for (const auto& size : {Extents{(std::int64_t{1} << 40) - 1, 1, 1},
                             {std::int64_t{1} << 31, 5, 1},
                             {1, (std::int64_t{1} << 40) - 1, 1},
                             {1 << 20, (1 << 20) - 1, 1},
                             {10007, 10009, 10007}})
        for (const auto type : {Scalar::boolean, Scalar::f64})
            for (const int elements : {1, 64}) {
                const std::array<int, 3> ghost{16, 16, 16};
                const auto layout = make_layout(type, elements, size, ghost);
                const auto bytes = static_cast<Wide>(size_of(type));
                EXPECT_TRUE(layout.row >= size[0] + 32 && layout.row <= size[0] + 32 + 128);
                EXPECT_TRUE(layout.plane == static_cast<Wide>(layout.row) * (size[1] + 32));
                EXPECT_TRUE(layout.element == static_cast<Wide>(layout.plane) * (size[2] + 32));
                const Wide last = static_cast<Wide>(layout.origin) + (size[0] + 15) + (size[1] + 15) * static_cast<Wide>(layout.row) +
                                  (size[2] + 15) * static_cast<Wide>(layout.plane) + (elements - 1) * static_cast<Wide>(layout.element);
                EXPECT_TRUE(layout.index(size[0] + 15, size[1] + 15, size[2] + 15, elements - 1) == last);
                EXPECT_TRUE(layout.bytes > last * bytes);
            }
}

} // namespace
} // namespace tessera::layout_test
