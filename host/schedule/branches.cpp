#include "host/schedule/branches.hpp"

#include "host/world/placement.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <utility>

namespace tessera {
namespace {

// What comes before each launch, through others as well. Launches stand on lanes, each behind all those before it on its lane, so that how
// far it is behind every lane says all.
class Ancestry {
public:
    // Enters the next launch, which waits for these; those of them that come before no other of them.
    std::vector<std::size_t> enter(std::vector<std::size_t> before) {
        std::sort(before.rbegin(), before.rend());
        std::vector<std::size_t> nearest;
        Clock clock(tails_.size(), 0);
        for (const auto one : before) {
            if (clock[lane_of_[one]] > one) continue;
            nearest.push_back(one);
            const auto& of_one = clock_of_[one];
            for (std::size_t lane = 0; lane < of_one.size(); ++lane) clock[lane] = std::max(clock[lane], of_one[lane]);
        }
        const auto number = lane_of_.size(), lane = lane_behind(nearest, clock);
        if (lane == tails_.size()) tails_.push_back(0), clock.push_back(0);
        tails_[lane] = number;
        clock[lane] = number + 1;
        lane_of_.push_back(lane);
        clock_of_.push_back(std::move(clock));
        std::reverse(nearest.begin(), nearest.end());
        return nearest;
    }

private:
    using Clock = std::vector<std::size_t>; // of each lane, one more than the last launch that is before, or 0

    // A lane whose last launch is before, if one can be that of what is waited for; else a new one.
    [[nodiscard]] std::size_t lane_behind(const std::vector<std::size_t>& nearest, const Clock& clock) const {
        for (const auto one : nearest)
            if (tails_[lane_of_[one]] == one) return lane_of_[one];
        std::size_t lane = 0;
        while (lane < tails_.size() && clock[lane] <= tails_[lane]) ++lane;
        return lane;
    }

    std::vector<std::size_t> tails_, lane_of_;
    std::vector<Clock> clock_of_;
};

// Whether it writes what stands beside the number of the step, which others read without naming it.
bool is_between_all(const Task& task) {
    return std::holds_alternative<JoinWork>(task.work) || std::holds_alternative<UniformWork>(task.work) ||
           std::holds_alternative<AdvanceWork>(task.work);
}

// Something that is no column, and that one at a time has to itself.
Touch turn(std::size_t of) {
    Touch touch;
    touch.reads = touch.writes = true;
    touch.in = touch.out = Placement::none;
    touch.in_of = touch.out_of = of;
    touch.read = {{0, 1}};
    touch.written = {0, 1};
    return touch;
}

bool may_find_faults(const Setup& setup, const KernelSetup& kernel) {
    if (kernel.is_of_manage_all()) return kernel.kind->tells_parents() || kernel.kind->is_of_all_rows();
    if (!kernel.is_function()) return false;
    if (setup.function_of(kernel).sends()) return true;
    const auto& uses = setup.function_of(kernel).agent_uses;
    return std::any_of(uses.begin(), uses.end(), [](const model::AgentUse& use) { return use.moves || use.spawns; });
}

// Of the tasks [first, end), behind `all_before`, if there is one. Returns those that nobody waits for.
std::vector<std::size_t> order_between(std::vector<Task>& tasks, std::size_t first, std::size_t end, std::optional<std::size_t> all_before,
                                       Ancestry& ancestry, LaunchOrder& order) {
    std::vector<Task> some(std::make_move_iterator(tasks.begin() + static_cast<std::ptrdiff_t>(first)),
                           std::make_move_iterator(tasks.begin() + static_cast<std::ptrdiff_t>(end)));
    order_by_touches(some);
    std::vector<bool> awaited(some.size(), false);
    for (const auto& task : some) {
        std::vector<std::size_t> before;
        for (const auto one : task.after) {
            awaited[one] = true;
            before.push_back(first + one);
        }
        if (before.empty() && all_before) before.push_back(*all_before);
        order.push_back(ancestry.enter(std::move(before)));
    }
    std::vector<std::size_t> last;
    for (std::size_t i = 0; i < some.size(); ++i)
        if (!awaited[i]) last.push_back(first + i);
    return last;
}

} // namespace

// What a part of manageAll writes beyond its columns is looked at by others.
void add_turns(const Setup& setup, Task& task) {
    const auto* call = std::get_if<CallWork>(&task.work);
    if (call == nullptr) return;
    const auto& kernel = setup.kernels[call->kernel];
    for (std::size_t i = 0; kernel.is_of_manage_all() && i < kernel.accesses.size(); ++i) {
        auto& touch = task.touches[i];
        if (!kernel.accesses[i].also_written) continue;
        touch.writes = true;
        touch.written = setup.collections[setup.columns[touch.column].collection].whole();
    }
    if (may_find_faults(setup, kernel)) task.touches.push_back(turn(0));
    if (kernel.is_of_manage_all() && kernel.kind->is_of_all_rows()) task.touches.push_back(turn(1 + kernel.collection.index()));
}

LaunchOrder branches_of(const Setup& setup, std::vector<Task> tasks) {
    for (auto& task : tasks) add_turns(setup, task);
    LaunchOrder order;
    Ancestry ancestry;
    std::optional<std::size_t> all_before;
    while (order.size() < tasks.size()) {
        const auto first = order.size();
        auto end = first;
        while (end < tasks.size() && !is_between_all(tasks[end])) ++end;
        auto last = order_between(tasks, first, end, all_before, ancestry, order);
        if (end == tasks.size()) break;
        if (last.empty() && all_before) last.push_back(*all_before);
        order.push_back(ancestry.enter(std::move(last)));
        all_before = end;
    }
    return order;
}

std::size_t longest_chain(const LaunchOrder& order) {
    std::vector<std::size_t> length;
    for (const auto& before : order) {
        std::size_t longest = 0;
        for (const auto one : before) longest = std::max(longest, length[one]);
        length.push_back(longest + 1);
    }
    return length.empty() ? 0 : *std::max_element(length.begin(), length.end());
}

} // namespace tessera
