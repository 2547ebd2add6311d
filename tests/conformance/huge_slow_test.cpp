// A run of more than 2^31 places, with all of them there. It takes about 9 GiB of memory, or 5 on a GPU and 5 beside it, so it is run only
// where TESSERA_HUGE=1.
// optimise: yes
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <cstdlib>

namespace tessera::test::huge_slow_test {
namespace {

class SlowHuge : public OnDevice {
protected:
    void SetUp() override {
        const char* const wanted = std::getenv("TESSERA_HUGE");
        if (wanted == nullptr || std::string(wanted) != "1") GTEST_SKIP() << "needs about 9 GiB of memory; set TESSERA_HUGE=1";
    }
};

bool first_value(std::int64_t x) { return (static_cast<std::uint64_t>(x) * 2654435761u >> 13) % 2 != 0; }

TEST_P(SlowHuge, ALineOfBitsMovesEast) {
    const TemporaryFolder folder;
    const auto model = folder
                           .write("bits.cu", R"(#include <tessera/model.hpp>
struct Bit {
    bool on = false;
};
TESSERA_PLACE(Bit, on);
TESSERA_INIT(Bit, draw, sets<&Bit::on>) { self.on = (static_cast<std::uint64_t>(self.position.x) * 2654435761u >> 13) % 2 != 0; }
TESSERA_CALL(Bit, shift, around<offsets<west>, &Bit::on>, writes<&Bit::on>) { self.on = self.at(west).on; }
TESSERA_MODEL(bits, "a line of bits");
)")
                           .string();
    constexpr std::int64_t n = (std::int64_t{1} << 31) + 5, steps = 3;
    WorldUnderTest world(model, {"places.bit.size=[" + std::to_string(n) + "]", "places.bit.boundary=\"torus\""}, on_this());
    world.step_to(steps);
    const auto values = world.read("bit", "on");
    const auto on = values.data<bool>();
    ASSERT_EQ(static_cast<std::int64_t>(on.size()), n);
    std::int64_t wrong = 0;
    for (std::int64_t x = 0; x < n; ++x)
        wrong += on[static_cast<std::size_t>(x)] != first_value(x >= steps ? x - steps : x - steps + n) ? 1 : 0;
    EXPECT_EQ(wrong, 0);
}

TESSERA_ON_EVERY_DEVICE(SlowHuge);

} // namespace
} // namespace tessera::test::huge_slow_test
