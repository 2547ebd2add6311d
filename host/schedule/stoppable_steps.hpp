// Steps that one GPU is given together although `stop` is asked behind each: those behind a yes are left out there
// (Task::left_out_at_yes).
#pragma once

#include "host/schedule/schedule.hpp"

#include <cstdint>
#include <functional>
#include <vector>

namespace tessera {

struct StoppableSteps {
    std::vector<Task> tasks;
    std::vector<Placement> behind; // each step
};
// `append(k, placement, tasks)` adds the tasks of step k of `count`, the first one being 0. Behind the last one it is asked only where
// `asks_last`.
[[nodiscard]] StoppableSteps stoppable_steps(const Schedule& schedule, ReductionId stop, std::uint64_t count, bool asks_last,
                                             Placement placement,
                                             const std::function<void(std::uint64_t, Placement&, std::vector<Task>&)>& append);

// The question behind step `number` of some, from 1; `counted` is the task's.
void append_stop(const Schedule& schedule, ReductionId stop, std::uint64_t number, std::uint64_t counted, Placement& placement,
                 std::vector<Task>& tasks);

} // namespace tessera
