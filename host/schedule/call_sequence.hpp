// Which functions a step calls, collection by collection, and what rotations make of the columns' names meanwhile.
#pragma once

#include "host/world/setup.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// The calls of one collection in a step, and what rotations do to its columns meanwhile.
struct CallSequence {
    std::size_t collection = 0;                    // in Setup::collections
    std::vector<std::size_t> phases;               // its calls, in order: in Setup::phases
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

// Those of the usual phases that call something: what several steps at a time can be made of.
[[nodiscard]] std::vector<CallSequence> fusible_sequences(const Setup& setup);

// What a phase that calls a function calls, and how that uses its row's members.
[[nodiscard]] const KernelSetup& kernel_of(const Setup& setup, std::size_t phase);
[[nodiscard]] const std::vector<model::Use>& uses_of(const Setup& setup, std::size_t phase);

} // namespace tessera
