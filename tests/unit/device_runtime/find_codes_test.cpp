// Codes that are found eight at a time, beside a loop over each.
#include "kernels/agents/find_codes.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <random>
#include <vector>

namespace tessera::test::find_codes_test {
namespace {

template<int Least, bool Few, class Code> void compare(const std::vector<Code>& row) {
    const int size = static_cast<int>(row.size());
    for (int from = 0; from <= size; ++from)
        for (int until = from; until <= size; ++until) {
            std::vector<int> expected, found(row.size());
            for (int x = from; x < until; ++x)
                if (row[static_cast<std::size_t>(x)] >= Least) expected.push_back(x);
            const int count = find_codes<Least, Few>(row.data(), from, until, found.data());
            found.resize(static_cast<std::size_t>(count));
            ASSERT_EQ(found, expected) << "from " << from << " until " << until << ", least " << Least;
        }
}

template<class Code> void compare_all(unsigned most, double there) {
    std::mt19937 random(most);
    for (int round = 0; round < 20; ++round) {
        std::vector<Code> row(41);
        for (auto& code : row) code = std::bernoulli_distribution(there)(random) ? static_cast<Code>(1 + random() % most) : Code{0};
        compare<1, true>(row), compare<1, false>(row);
        compare<2, true>(row), compare<3, true>(row);
        compare<128, true>(row), compare<129, true>(row);
    }
}

TEST(FindCodes, BytesAreFoundAsOneByOne) {
    compare_all<std::uint8_t>(3, 0.3);
    compare_all<std::uint8_t>(255, 0.1);
    compare_all<std::uint8_t>(255, 1);
}
TEST(FindCodes, CodesOfTwoBytesAreToo) { compare_all<std::uint16_t>(600, 0.3); }

} // namespace
} // namespace tessera::test::find_codes_test
