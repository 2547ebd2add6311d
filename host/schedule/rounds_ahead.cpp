#include "host/schedule/rounds_ahead.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace tessera {
namespace {

// Of places, slots and links, and for how many agents there is room. Launches over more have more blocks than a GPU holds at once, and to
// leave them out takes as long as the host.
constexpr std::int64_t most_elements = std::int64_t{1} << 18;

std::int64_t elements_of(const Setup& setup, const CollectionSetup& collection) {
    if (!collection.agents) return collection.places();
    if (collection.agents->in_list()) return collection.agents->capacity;
    return setup.collections[collection.agents->ground].places() * collection.agents->capacity;
}

const UntilPhase* question_of(const PhaseSetup& phase) { return std::get_if<UntilPhase>(&phase.action); }

} // namespace

std::string obstacle_to_rounds_ahead(const Setup& setup) {
    if (setup.partitions() > 1) return "several devices make the run";
    if (setup.modes().checked) return "each launch of a checked run is looked at";
    for (const auto& collection : setup.collections)
        if (const auto elements = elements_of(setup, collection); elements > most_elements)
            return fmt::format("`{}` has {}{}, and to leave out rounds is quick up to {}", collection.name,
                               collection.agents ? "room for " : "", elements, most_elements);
    return {};
}

std::vector<QueuedQuestion> append_rounds(const Setup& setup, const Schedule& schedule, std::uint64_t step, const FirstQuestion& first,
                                          Placement& placement, std::vector<Task>& tasks) {
    constexpr std::size_t few_launches = 12, part_of_those_made = 4;
    std::vector<QueuedQuestion> questions{{first.phase, placement}};
    const auto begin = tasks.size();
    const auto* until = question_of(setup.phases[first.phase]);
    while (!until->is_last && questions.size() < first.expected) {
        const auto rounds = questions.size() - 1;
        if (tasks.size() - begin >= few_launches && rounds * part_of_those_made >= first.asked) break;
        const auto before = tasks.size();
        std::get<JoinWork>(tasks.back().work).tells_no = false; // for another one comes behind it
        auto next = questions.back().phase.index() + 1;
        for (; question_of(setup.phases[PhaseId(next)]) == nullptr; ++next)
            if (const auto& phase = setup.phases[PhaseId(next)]; phase.timing.includes(step) || phase.is_in_each_step())
                schedule.append_phase(PhaseId(next), step, 0, placement, tasks);
        schedule.append_phase(PhaseId(next), step, 0, placement, tasks);
        for (auto t = before; t < tasks.size(); ++t) tasks[t].left_out_at_yes = true;
        questions.push_back({PhaseId(next), placement});
        until = question_of(setup.phases[PhaseId(next)]);
    }
    return questions;
}

} // namespace tessera
