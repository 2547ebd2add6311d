// Conway's Game of Life against what is known of its patterns.
#include "tests/unit/engine/world_under_test.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace tessera::test {
namespace {

class Life : public testing::TestWithParam<std::string> {
protected:
    static std::vector<std::string> pattern(const std::string& file, const std::string& size, const std::string& at, const std::string& boundary) {
        return {"places.cell.size=" + size, "places.cell.boundary=\"" + boundary + "\"",
                "places.cell.init={alive={file=\"" + test_shipped("examples/life/" + file).string() + "\",at=" + at + "}}"};
    }
    static int living(const WorldUnderTest& world) {
        const auto cells = world.values<std::uint8_t>("cell", "alive");
        return std::accumulate(cells.begin(), cells.end(), 0);
    }
    [[nodiscard]] static Options on_this() { return {GetParam(), usable_threads(), {}}; }
};

TEST_P(Life, RPentominoSettlesAt116) {
    WorldUnderTest world(plugin("life"), pattern("r_pentomino.rle", "[1400,1400]", "[700,700]", "open"), on_this());
    world.step_to(1103);
    EXPECT_EQ(living(world), 116);
}

INSTANTIATE_TEST_SUITE_P(Devices, Life, testing::ValuesIn(devices()), device_test_name);

} // namespace
} // namespace tessera::test
