#include "jit/pieces.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tessera::jit::pieces_test {
namespace {

constexpr auto full = Effort::full, moderate = Effort::moderate;

int weight_of(const Part& part, const std::vector<Piece>& pieces) {
    return std::accumulate(part.pieces.begin(), part.pieces.end(), 0, [&](int sum, std::size_t p) { return sum + pieces[p].weight; });
}

// Each piece is in one part, with pieces of its effort.
void expect_shared_out(const std::vector<Piece>& pieces, const std::vector<Part>& parts) {
    std::vector<std::size_t> found;
    for (const auto& part : parts) {
        EXPECT_FALSE(part.pieces.empty());
        EXPECT_TRUE(std::is_sorted(part.pieces.begin(), part.pieces.end()));
        for (const auto piece : part.pieces) EXPECT_EQ(pieces[piece].effort, part.effort);
        found.insert(found.end(), part.pieces.begin(), part.pieces.end());
    }
    std::sort(found.begin(), found.end());
    std::vector<std::size_t> all(pieces.size());
    std::iota(all.begin(), all.end(), 0u);
    EXPECT_EQ(found, all);
}

TEST(Pieces, AreSharedOutAmongProcessors) {
    const std::vector<Piece> pieces = {{full, 0}, {full, 2}, {moderate, 1}, {full, 2}, {full, 9}, {moderate, 2}, {full, 1}, {full, 2}};
    const auto count = [&](int processors) {
        const auto parts = parts_of(pieces, processors);
        expect_shared_out(pieces, parts);
        return parts.size();
    };
    EXPECT_EQ(count(1), 2u); // one of each effort
    EXPECT_EQ(count(2), 2u);
    EXPECT_EQ(count(3), 3u);
    EXPECT_EQ(count(4), 4u);
    EXPECT_EQ(count(6), 6u);
    EXPECT_EQ(count(64), 6u);                                                           // five pieces of full effort have a weight
    for (const auto& part : parts_of(pieces, 4)) EXPECT_LE(weight_of(part, pieces), 9); // the heaviest piece is alone
}

TEST(Pieces, ThatAreManyAreFewParts) {
    const std::vector<Piece> pieces(100, {full, 3});
    const auto parts = parts_of(pieces, 128);
    expect_shared_out(pieces, parts);
    ASSERT_EQ(parts.size(), static_cast<std::size_t>(most_parts));
    for (const auto& part : parts) EXPECT_NEAR(weight_of(part, pieces), 37, 3);
}

TEST(Pieces, WithoutWeightAreOnePart) {
    EXPECT_EQ(parts_of({{full, 0}, {full, 0}}, 8).size(), 1u);
    EXPECT_TRUE(parts_of({}, 8).empty());
}

TEST(Pieces, ArePartsOfTheText) {
    EXPECT_EQ(piece_begin(7), "#if !defined(TESSERA_PART) || defined(TESSERA_HAS_7)\n");
    EXPECT_EQ((Part{full, {2, 7}}.definitions()), (std::vector<std::string>{"-DTESSERA_PART=1", "-DTESSERA_HAS_2=1", "-DTESSERA_HAS_7=1"}));
}

} // namespace
} // namespace tessera::jit::pieces_test
