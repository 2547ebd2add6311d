// The values that members have at step 0, as the run file gives them.
#pragma once

#include "host/array.hpp"
#include "host/setup/setup.hpp"

#include <optional>

namespace tessera {

class ThreadPool;

// The first values of a member, or nothing if the run file leaves it at its default and that is zero. Throws Failure::input, now or as the
// values are asked for, for files that cannot be read or do not fit, naming the run file's line. `setup` and `pool` must outlive the
// values.
[[nodiscard]] std::optional<ArraySource> initial_values(const Setup& setup, ColumnId column, ThreadPool& pool);

// A member's default everywhere, or nothing if that is zero.
[[nodiscard]] std::optional<ArraySource> default_values(const Setup& setup, ColumnId column, ThreadPool& pool);

// Reads every file that gives first values, and throws what initial_values would throw for it. Nothing of the grid's size is allocated.
void check_initial_files(const Setup& setup);

} // namespace tessera
