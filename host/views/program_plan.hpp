// What the stages of a fused program see and keep, by the same plan as the kernels' (kernels/fused/stage_plan.hpp): for telling
// what fits before anything is compiled.
#pragma once

#include "host/views/fused_view.hpp"
#include "kernels/fused/stage_plan.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace tessera {

// The axes of a view: x, the one that is streamed, the other one of y and z.
[[nodiscard]] std::array<std::size_t, 3> axes_of(const CollectionSetup& collection, const FusedView& view);

// As stage_plan.hpp says, but that nobody looks at the neighbours in x here.
struct ProgramPlan {
    std::vector<std::vector<stage_use>> use;
    std::vector<int> lag;
    std::array<std::vector<int>, 3> low, high;
    std::vector<std::vector<int>> version_of;
    std::vector<std::vector<version_plan>> version;
    std::vector<bool> written;

    struct Kept {
        int rows = 0;                // or planes; 0 where no later stage reads what is written
        std::size_t last_reader = 0; // a stage, if there are any
    };
    std::vector<std::vector<Kept>> kept; // of what a stage writes of a column: [stage][column]

    // Of all stages together.
    [[nodiscard]] int low_of_all(std::size_t axis) const { return low[axis].back(); }
    [[nodiscard]] int high_of_all(std::size_t axis) const { return high[axis].back(); }
};

// Of one step; or of several, where `all` is `repeated(step, depth)`.
[[nodiscard]] ProgramPlan plan_of(const Setup& setup, const CallSequence& all, const FusedView& view);

} // namespace tessera
