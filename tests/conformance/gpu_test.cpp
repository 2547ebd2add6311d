// That the tests of this program which run on every device did run on a GPU.
#include "tests/support/world_under_test.hpp"
#include "tests/unit/device_runtime/gpu.hpp"

namespace tessera::test::gpu_test {
namespace {

class Gpu : public ::testing::Test {
protected:
    void SetUp() override { require_gpu(); }
};

TEST_F(Gpu, IsAmongTheDevicesTested) { EXPECT_GT(devices().size(), 1u); }

} // namespace
} // namespace tessera::test::gpu_test
