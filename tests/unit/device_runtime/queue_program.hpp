// Random orders of work over several queues, and what has to come of them whatever the devices do.
#pragma once

#include <cstddef>
#include <set>
#include <vector>

namespace tessera::test {

// What is asked of the queues, in the order in which the host asks for it. The n-th mark is the one that the n-th `mark` makes.
struct Step {
    enum class Kind { task, mark, after } kind = Kind::task;
    std::size_t queue = 0;
    std::size_t mark = 0; // of `after`
    bool faulty = false;  // of `task`
};
using Steps = std::vector<Step>;

// By number of step.
struct Expected {
    std::vector<std::set<std::size_t>> before; // the tasks that must be done before it: all that a chain of order and marks leads from
    std::set<std::size_t> done;                // the tasks that are carried out to their end
    std::vector<bool> faulty;                  // for a task, whether it faults or is skipped; for a mark, whether it stands behind a fault
};

// From the definition alone: a step follows the one before in its queue, and `after` follows its mark too.
inline Expected expected_of(const Steps& steps, std::size_t queues) {
    Expected all;
    all.before.resize(steps.size());
    all.faulty.resize(steps.size());
    std::vector<std::ptrdiff_t> last(queues, -1);
    std::vector<std::size_t> marks;
    for (std::size_t i = 0; i < steps.size(); ++i) {
        const auto& step = steps[i];
        std::vector<std::size_t> follows;
        if (last[step.queue] >= 0) follows.push_back(static_cast<std::size_t>(last[step.queue]));
        if (step.kind == Step::Kind::after) follows.push_back(marks.at(step.mark));
        bool behind_a_fault = false;
        for (const auto other : follows) {
            all.before[i].insert(all.before[other].begin(), all.before[other].end());
            if (steps[other].kind == Step::Kind::task) all.before[i].insert(other);
            behind_a_fault = behind_a_fault || all.faulty[other];
        }
        if (step.kind == Step::Kind::task && !behind_a_fault && !step.faulty) all.done.insert(i);
        all.faulty[i] = behind_a_fault || (step.kind == Step::Kind::task && step.faulty);
        if (step.kind == Step::Kind::mark) marks.push_back(i);
        last[step.queue] = static_cast<std::ptrdiff_t>(i);
    }
    return all;
}

} // namespace tessera::test
