#include "host/schedule/chained_tasks.hpp"

#include "host/schedule/branches.hpp"

#include <iterator>
#include <map>
#include <utility>

namespace tessera {
namespace {

using PartKey = std::pair<std::uint64_t, std::size_t>; // phase and kernel

PartKey key_of_part(const ChainPart& part) { return {part.phase.index() + 1, part.kernel.index()}; }

// The numbers of the tasks that are the parts of a chain, the first of which is task `first`; fewer where the list lacks some.
std::vector<std::size_t> find_parts(const Chain& chain, const std::vector<Task>& tasks, std::size_t first) {
    std::vector<std::size_t> found;
    for (auto i = first; i < tasks.size() && found.size() < chain.parts.size(); ++i) {
        const auto* call = std::get_if<CallWork>(&tasks[i].work);
        const auto& part = chain.parts[found.size()];
        if (call == nullptr || tasks[i].counted > tasks[first].counted + part.step) break;
        if (tasks[i].counted == tasks[first].counted + part.step && PartKey{call->phase, call->kernel.index()} == key_of_part(part))
            found.push_back(i);
    }
    return found;
}

} // namespace

std::vector<TogetherLaunched> launched_together(const Chains& chains, const std::vector<Task>& tasks) {
    std::map<PartKey, std::vector<const Chain*>> beginnings; // the longest come first
    for (const auto& chain : chains.chains) beginnings[key_of_part(chain.parts.front())].push_back(&chain);
    std::vector<TogetherLaunched> launches, behind(tasks.size()); // behind task number i, which is their last part
    std::vector<bool> is_part(tasks.size(), false);
    for (std::size_t i = 0; i < tasks.size(); ++i) {
        const auto* call = std::get_if<CallWork>(&tasks[i].work);
        const auto known = call == nullptr || is_part[i] ? beginnings.end() : beginnings.find({call->phase, call->kernel.index()});
        for (std::size_t c = 0; known != beginnings.end() && c < known->second.size() && !is_part[i]; ++c) {
            const Chain& chain = *known->second[c];
            auto parts = find_parts(chain, tasks, i);
            if (parts.size() < chain.parts.size()) continue;
            for (const auto part : parts) is_part[part] = true;
            const auto last = parts.back();
            behind[last] = {std::move(parts), &chain};
        }
        if (!is_part[i])
            launches.push_back({{i}, nullptr});
        else if (behind[i].chain != nullptr)
            launches.push_back(std::move(behind[i]));
    }
    return launches;
}

std::vector<Task> joined_tasks(const Setup& setup, const std::vector<TogetherLaunched>& launches, std::vector<Task> tasks) {
    std::vector<Task> joined;
    for (const auto& launch : launches) {
        Task all = std::move(tasks[launch.tasks.front()]);
        if (launch.chain != nullptr) add_turns(setup, all);
        for (std::size_t i = 1; i < launch.tasks.size(); ++i) {
            auto& part = tasks[launch.tasks[i]];
            add_turns(setup, part);
            all.touches.insert(all.touches.end(), std::make_move_iterator(part.touches.begin()),
                               std::make_move_iterator(part.touches.end()));
        }
        joined.push_back(std::move(all));
    }
    return joined;
}

} // namespace tessera
