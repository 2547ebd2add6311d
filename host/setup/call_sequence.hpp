// Which functions a step calls, collection by collection, and what rotations make of the columns' names meanwhile.
#pragma once

#include "host/setup/setup.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// The calls of one collection in a step, and what rotations do to its columns meanwhile.
struct CallSequence {
    CollectionId collection;
    std::vector<PhaseId> phases;                   // its calls, in order
    std::vector<std::vector<std::size_t>> columns; // [call][member]: the column, numbered as the step begins, that stands for the member
    std::vector<std::size_t> after;                // [member]: likewise, behind the step

    // Columns that a step writes, numbered as the step begins.
    [[nodiscard]] std::vector<bool> written(const Setup& setup) const;
};

// The same for `steps` steps in a row.
[[nodiscard]] CallSequence repeated(const CallSequence& one, int steps);

// The phases that run in most steps: a step that runs others is made by itself. One entry a phase.
[[nodiscard]] std::vector<bool> usual_phases(const Setup& setup);
[[nodiscard]] bool runs_exactly(const Setup& setup, const std::vector<bool>& phases, std::uint64_t step);

// One sequence for each collection; without calls for those of which the given phases call no function.
[[nodiscard]] std::vector<CallSequence> call_sequences(const Setup& setup, const std::vector<bool>& phases);

// Whether no function of the run names columns of this collection and of another: only then may its steps run ahead of the others'.
[[nodiscard]] bool stands_alone(const Setup& setup, CollectionId collection);

// Whether it adds up for a reduce, or reads what one has made, or a uniform that goes by that.
[[nodiscard]] bool is_of_a_reduce(const Setup& setup, const KernelSetup& kernel);

// Those of the usual phases that call something, of collections that stand alone: what several steps at a time can be made of.
[[nodiscard]] std::vector<CallSequence> fusible_sequences(const Setup& setup);

// What a phase that calls a function calls, and how that uses its row's members.
[[nodiscard]] const KernelSetup& kernel_of(const Setup& setup, PhaseId phase);
[[nodiscard]] std::vector<model::Use> uses_of(const Setup& setup, PhaseId phase); // one a member of the collection

} // namespace tessera
