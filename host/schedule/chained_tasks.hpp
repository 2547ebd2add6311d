// Which tasks of a list one launch makes together, by the chains of a run (host/generate/chains.hpp).
#pragma once

#include "host/generate/chains.hpp"
#include "host/schedule/task.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

struct TogetherLaunched {
    std::vector<std::size_t> tasks; // by their numbers, in their order
    const Chain* chain = nullptr;   // none: it is one task, launched by itself
};
// The launches for tasks of one partition, in an order in which they can be made one after the other. A chain of which a list does not have
// all parts is launched part by part.
[[nodiscard]] std::vector<TogetherLaunched> launched_together(const Chains& chains, const std::vector<Task>& tasks);

// The tasks that are launched so, each with all that its parts touch: for `branches_of`.
[[nodiscard]] std::vector<Task> joined_tasks(const Setup& setup, const std::vector<TogetherLaunched>& launches, std::vector<Task> tasks);

} // namespace tessera
