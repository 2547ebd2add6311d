// Where rows stand: no two share a byte, and each has the places and ghosts that its number says.
#include "host/world/row_bytes.hpp"

#include <gtest/gtest.h>

#include <set>

namespace tessera::row_bytes_test {
namespace {

TEST(RowBytes, HaveEveryPlaceAndGhostOfTheirRowsAndNoOther) {
    for (const int dimensions : {2, 3})
        for (const std::array<int, 3> ghost : {std::array{1, 2, 3}, {0, 1, 1}, {5, 0, 2}, {0, 0, 0}}) {
            const Extents size{37, 4, dimensions == 3 ? 5 : 1};
            const std::array ghosts{ghost[0], ghost[1], dimensions == 3 ? ghost[2] : 0};
            const auto layout = make_layout(Scalar::i16, 2, size, ghosts);
            const auto axis = static_cast<std::size_t>(dimensions - 1);
            std::set<std::int64_t> seen; // bytes
            for (int e = 0; e < layout.elements; ++e)
                for (std::int64_t row = -ghosts[axis]; row < size[axis] + ghosts[axis]; ++row) {
                    const auto [offset, bytes] = bytes_of_rows(layout, dimensions, {row, row + 1}, e);
                    ASSERT_LE(offset + bytes, static_cast<std::size_t>(layout.bytes));
                    for (std::size_t b = 0; b < bytes; ++b) ASSERT_TRUE(seen.insert(static_cast<std::int64_t>(offset + b)).second);
                    const RowRange others = dimensions == 3 ? RowRange{-ghosts[1], size[1] + ghosts[1]} : RowRange{0, 1};
                    for (auto other = others.first; other < others.end; ++other)
                        for (std::int64_t x = -ghosts[0]; x < size[0] + ghosts[0]; ++x) {
                            const auto at = dimensions == 3 ? layout.index(x, other, row, e) : layout.index(x, row, 0, e);
                            ASSERT_GE(at * 2, static_cast<std::int64_t>(offset));
                            ASSERT_LE(at * 2 + 2, static_cast<std::int64_t>(offset + bytes));
                        }
                }
            const auto together = bytes_of_rows(layout, dimensions, {0, size[axis]}, 1);
            EXPECT_EQ(together.offset, bytes_of_rows(layout, dimensions, {0, 1}, 1).offset);
            EXPECT_EQ(together.size, static_cast<std::size_t>(size[axis]) * bytes_of_rows(layout, dimensions, {0, 1}, 1).size);
        }
}

} // namespace
} // namespace tessera::row_bytes_test
