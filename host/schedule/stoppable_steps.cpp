#include "host/schedule/stoppable_steps.hpp"

#include <utility>
#include <variant>

namespace tessera {

void append_stop(const Schedule& schedule, ReductionId stop, std::uint64_t number, std::uint64_t counted, Placement& placement,
                 std::vector<Task>& tasks) {
    schedule.append_reduction(stop, number, counted, placement, tasks);
    auto& join = std::get<JoinWork>(tasks.back().work);
    join.tells_no = false;
    join.is_stop = true;
}

StoppableSteps stoppable_steps(const Schedule& schedule, ReductionId stop, std::uint64_t count, bool asks_last, Placement placement,
                               const std::function<void(std::uint64_t, Placement&, std::vector<Task>&)>& append) {
    StoppableSteps steps;
    auto& tasks = steps.tasks;
    schedule.append_uniforms(count, tasks);
    for (std::uint64_t k = 0; k < count; ++k) {
        const auto first = tasks.size();
        append(k, placement, tasks);
        steps.behind.push_back(placement);
        if (k + 1 < count || asks_last) append_stop(schedule, stop, k + 1, k + 1, placement, tasks);
        for (auto t = first; t < tasks.size(); ++t) tasks[t].left_out_at_yes = k > 0;
    }
    for (auto& task : schedule.advance(count)) tasks.push_back(std::move(task));
    return steps;
}

} // namespace tessera
