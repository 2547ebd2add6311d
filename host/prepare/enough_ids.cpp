#include "host/prepare/enough_ids.hpp"

#include "kernels/agents/agent_id.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <optional>

namespace tessera {
namespace {

// In how many of the first `steps` steps it runs.
std::uint64_t runs_in(const run_file::Timing& timing, std::uint64_t steps) {
    const auto end = timing.until ? std::min(steps, *timing.until) : steps;
    return end <= timing.from ? 0 : (end - 1 - timing.from) / timing.every + 1;
}

// How often children may be born in so many steps.
std::uint64_t cycles_in(const Setup& setup, const AgentsSetup& agents, std::uint64_t steps) {
    std::uint64_t cycles = 0;
    for (const auto phase : agents.birth_phases) cycles += runs_in(setup.phases[phase].timing, steps);
    return cycles;
}

// The first step in which there may be no more ids.
std::optional<std::uint64_t> step_without_ids(const Setup& setup, const AgentsSetup& agents, std::uint64_t steps) {
    constexpr auto too_many = std::uint64_t{1} << id_bits_of_cycle; // they are counted from 1
    if (cycles_in(setup, agents, steps) < too_many) return std::nullopt;
    std::uint64_t enough = 0, not_enough = steps; // of steps
    while (not_enough - enough > 1) {
        const auto middle = enough + (not_enough - enough) / 2;
        (cycles_in(setup, agents, middle) < too_many ? enough : not_enough) = middle;
    }
    return enough;
}

} // namespace

std::vector<std::string> births_that_may_end(const Setup& setup) {
    std::vector<std::string> notes;
    if (!setup.agenda.steps) return notes;
    for (const auto& collection : setup.collections) {
        if (!collection.agents) continue;
        if (const auto step = step_without_ids(setup, *collection.agents, **setup.agenda.steps))
            notes.push_back(fmt::format("births of {} may end the run in step {} of {} (an id has {} bits for the number of the manageAll "
                                        "in which its agent was born) make a shorter run, or call manageAll in fewer steps",
                                        collection.name, *step, **setup.agenda.steps, id_bits_of_cycle));
    }
    return notes;
}

} // namespace tessera
