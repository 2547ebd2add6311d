// Which launches of a recording wait for which, where one device makes all rows: what need not wait for each other stands side by side.
#pragma once

#include "device_runtime/queue.hpp"
#include "host/schedule/task.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// Of tasks of one partition, each of which is one launch. Whatever collides keeps its order (order_by_touches), and so do
// - all others and what makes values that functions read, or counts steps: for these wait all before it, and all behind it for them;
// - functions and children that may find a fault, so that the first one that does is the one that is told;
// - the parts of a manageAll of a list, which one queue makes in any case.
[[nodiscard]] LaunchOrder branches_of(const Setup& setup, std::vector<Task> tasks);

// Adds to a task's touches what keeps its order besides what its columns say; twice is as once.
void add_turns(const Setup& setup, Task& task);

// How many launches stand one behind the other, at most.
[[nodiscard]] std::size_t longest_chain(const LaunchOrder& order);

} // namespace tessera
