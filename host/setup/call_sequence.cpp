#include "host/setup/call_sequence.hpp"

#include <algorithm>
#include <map>
#include <numeric>
#include <variant>

namespace tessera {

const KernelSetup& kernel_of(const Setup& setup, PhaseId phase) {
    return setup.kernels[std::get<CallPhase>(setup.phases[phase].action).kernel];
}
std::vector<model::Use> uses_of(const Setup& setup, PhaseId phase) { return own_uses(setup, kernel_of(setup, phase)); }

std::vector<bool> CallSequence::written(const Setup& setup) const {
    std::vector<bool> result(after.size());
    for (std::size_t call = 0; call < phases.size(); ++call) {
        const auto& uses = uses_of(setup, phases[call]);
        for (std::size_t m = 0; m < uses.size(); ++m)
            if (uses[m].writes) result[columns[call][m]] = true;
    }
    return result;
}

CallSequence repeated(const CallSequence& one, int steps) {
    CallSequence all = one;
    for (int step = 1; step < steps; ++step) {
        const auto before = all.after;
        for (std::size_t call = 0; call < one.phases.size(); ++call) {
            all.phases.push_back(one.phases[call]);
            auto& columns = all.columns.emplace_back(one.columns[call]);
            for (auto& column : columns) column = before[column];
        }
        for (std::size_t m = 0; m < before.size(); ++m) all.after[m] = before[one.after[m]];
    }
    return all;
}

std::vector<bool> usual_phases(const Setup& setup) {
    constexpr std::uint64_t looked_at = 1024;
    const std::uint64_t steps = std::min(looked_at, setup.agenda.steps ? **setup.agenda.steps : looked_at);
    std::map<std::vector<bool>, std::uint64_t> seen;
    for (std::uint64_t k = 0; k < std::max<std::uint64_t>(steps, 1); ++k) {
        std::vector<bool> active;
        for (const auto& phase : setup.phases) active.push_back(phase.timing.includes(k));
        ++seen[active];
    }
    return std::max_element(seen.begin(), seen.end(), [](const auto& a, const auto& b) { return a.second < b.second; })->first;
}

bool runs_exactly(const Setup& setup, const std::vector<bool>& phases, std::uint64_t step) {
    for (std::size_t p = 0; p < phases.size(); ++p)
        if (setup.phases[p].timing.includes(step) != phases[p]) return false;
    return true;
}

std::vector<CallSequence> call_sequences(const Setup& setup, const std::vector<bool>& phases) {
    std::vector<CallSequence> all(setup.collections.size());
    for (const auto c : setup.collections.ids()) {
        auto& after = all[c.index()].after;
        all[c.index()].collection = c;
        after.resize(setup.collections[c].columns.size());
        std::iota(after.begin(), after.end(), std::size_t{0});
    }
    for (const auto p : setup.phases.ids()) {
        if (!phases[p.index()]) continue;
        if (const auto* call = std::get_if<CallPhase>(&setup.phases[p].action)) {
            auto& sequence = all[setup.kernels[call->kernel].collection.index()];
            sequence.phases.push_back(p);
            sequence.columns.push_back(sequence.after);
        } else if (const auto* rotate = std::get_if<RotatePhase>(&setup.phases[p].action)) {
            auto& after = all[rotate->collection.index()].after;
            const auto named = [&](std::size_t i) -> auto& { return after[setup.columns[rotate->columns[i]].member]; };
            const auto last = named(rotate->columns.size() - 1);
            for (std::size_t i = rotate->columns.size() - 1; i > 0; --i) named(i) = named(i - 1);
            named(0) = last;
        }
    }
    return all;
}

bool is_of_a_reduce(const Setup& setup, const KernelSetup& kernel) {
    return kernel.is_reduction() || !setup.function_of(kernel).values.empty();
}

bool stands_alone(const Setup& setup, CollectionId collection) {
    if (!setup.collections[collection].are_places()) return false; // of agents manageAll comes between
    return std::all_of(setup.kernels.begin(), setup.kernels.end(), [&](const KernelSetup& kernel) {
        if (kernel.collection == collection &&
            (setup.is_among_agents(kernel) || setup.goes_by_numbers(kernel) || is_of_a_reduce(setup, kernel)))
            return false;
        return std::all_of(kernel.accesses.begin(), kernel.accesses.end(), [&](const Access& access) {
            return (setup.columns[access.column].collection == collection) == (kernel.collection == collection);
        });
    });
}

std::vector<CallSequence> fusible_sequences(const Setup& setup) {
    std::vector<CallSequence> sequences;
    if (setup.asks_state()) return sequences; // what a step will be, only the one before it tells
    for (auto& sequence : call_sequences(setup, usual_phases(setup)))
        if (!sequence.phases.empty() && stands_alone(setup, sequence.collection)) sequences.push_back(std::move(sequence));
    return sequences;
}

} // namespace tessera
