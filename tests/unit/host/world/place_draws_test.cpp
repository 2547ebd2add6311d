// host/world/place_draws.hpp: what is made together is what each place draws by itself.
#include "host/world/place_draws.hpp"

#include <gtest/gtest.h>

namespace tessera::place_draws_test {
namespace {

TEST(PlaceDraws, AreThoseOfEachPlace) {
    constexpr std::uint64_t key = 0x123456789abcdef0;
    for (const std::uint64_t first : {std::uint64_t{0}, std::uint64_t{1}, std::uint64_t{2}, std::uint64_t{1000003},
                                      (std::uint64_t{1} << 32) - 50, (std::uint64_t{1} << 34) - 3}) {
        PlaceDraws draws(key, first);
        for (int n = 0; n < PlaceDraws::count; ++n) {
            random_stream together(draws, n), alone(key, first + static_cast<std::uint64_t>(n), 0);
            for (int d = 0; d < 11; ++d) ASSERT_EQ(together.bits(), alone.bits()) << "place " << first << " + " << n << ", draw " << d;
        }
    }
}

TEST(PlaceDraws, AreThereWhateverIsDrawnFirst) {
    PlaceDraws draws(7, 18);
    random_stream last(draws, PlaceDraws::count - 1), of_last(7, 18 + PlaceDraws::count - 1, 0);
    EXPECT_EQ(last.uniform64(), of_last.uniform64());
    random_stream first(draws, 0), of_first(7, 18, 0);
    EXPECT_EQ(first.normal(), of_first.normal());
}

} // namespace
} // namespace tessera::place_draws_test
