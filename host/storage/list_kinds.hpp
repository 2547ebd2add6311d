// The kernels of a manageAll of agents in a list, which one device makes for all rows (kernels/agents/list.hpp).
#pragma once

#include "host/setup/kernel_kind.hpp"

namespace tessera {

[[nodiscard]] const KernelKind& kind_of_targets();
[[nodiscard]] const KernelKind& kind_of_counted_birth_requests();
[[nodiscard]] const KernelKind& kind_of_sums();
[[nodiscard]] const KernelKind& kind_of_starts();
[[nodiscard]] const KernelKind& kind_of_entered_agents();
[[nodiscard]] const KernelKind& kind_of_entered_birth_requests();
[[nodiscard]] const KernelKind& kind_of_settled_lists();

// Behind functions by which nobody moves (kernels/agents/staying.hpp).
[[nodiscard]] const KernelKind& kind_of_sums_of_agents();
[[nodiscard]] const KernelKind& kind_of_those_who_stay();
[[nodiscard]] const KernelKind& kind_of_moved_starts();

// A launch of a function over the list.
[[nodiscard]] LaunchShape shape_of_list(const Setup& setup, const KernelSetup& kernel);

} // namespace tessera
