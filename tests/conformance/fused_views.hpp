// Views of fused steps that only a GPU runs in earnest, compared with one step at a time.
#pragma once

#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::test {

// Of the model `boundaries`, on a grid that all classes of views are tried on. What a fixed boundary shows is not what an open one does.
inline std::vector<std::string> site(Boundary x, Boundary y) {
    auto keys = geometry("site", {131, 27, 1, x, y});
    if (x == Boundary::fixed || y == Boundary::fixed) keys.emplace_back("places.site.outside.value=99");
    return keys;
}

class FusedViewsOnDevice : public OnDevice {
protected:
    // So many steps, or more where a view makes many at once.
    static void expect_same_hash(const std::string& model, const std::vector<std::string>& keys, std::uint64_t least,
                                 const std::vector<FusedView>& views) {
        auto steps = least;
        for (const auto& view : views) steps = std::max(steps, 4 * static_cast<std::uint64_t>(view.depth) + 1);
        WorldUnderTest straight(model, keys, {"cpu", 1, {}});
        straight.step_to(steps);
        for (const auto& view : views) {
            WorldUnderTest world(model, keys, on_this());
            ASSERT_EQ(world.fuse(view), "") << model;
            world.step_to(steps);
            EXPECT_GE(world.simulation().fused_steps() + 3 * static_cast<unsigned>(view.depth), steps) << model << ", " << to_string(view);
            EXPECT_EQ(world.hash(), straight.hash()) << model << ", " << keys[0] << ", " << keys[1] << ", " << to_string(view);
        }
    }

private:
    QuickCompiler quick_{};
};

} // namespace tessera::test
