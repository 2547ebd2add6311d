// What the stages of a fused program see and keep, as device_runtime/kernels/program.hpp plans it: for telling what fits before anything is
// compiled.
#pragma once

#include "host/schedule/fusion.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace tessera {

// How far a stage sees: along x, along the axis that is streamed, and along the other one of y and z.
struct Sight {
    std::array<int, 3> low{}, high{};
};
// The axes of a view in that order.
[[nodiscard]] std::array<std::size_t, 3> axes_of(const CollectionSetup& collection, const FusedView& view);

struct ProgramPlan {
    std::vector<Sight> until; // [stage]: summed over this stage and those before it
    // Rows (planes) that are kept of what a stage writes of a column; 0 where no later stage reads it. [stage][column]
    std::vector<std::vector<int>> kept;
    // The last stage that reads them. [stage][column]
    std::vector<std::vector<std::size_t>> last_reader;
};

// Of several steps: `all` is `repeated(step, depth)`.
[[nodiscard]] ProgramPlan plan_of(const Setup& setup, const CallSequence& all, const FusedView& view);

[[nodiscard]] const KernelSetup& kernel_of(const Setup& setup, PhaseId phase);
[[nodiscard]] std::vector<model::Use> uses_of(const Setup& setup, PhaseId phase); // one a member of the collection

} // namespace tessera
