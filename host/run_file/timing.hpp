// When phases run and outputs are written.
#pragma once

#include <cstdint>
#include <optional>

namespace tessera::run_file {

// When a phase runs, or an output is written: in step k if from <= k < until and (k - from) % every == 0.
struct Timing {
    std::uint64_t every = 1;
    std::uint64_t from = 0;
    std::optional<std::uint64_t> until;

    [[nodiscard]] bool includes(std::uint64_t step) const noexcept {
        return step >= from && (!until || step < *until) && (step - from) % every == 0;
    }
    friend bool operator==(const Timing&, const Timing&) = default;
};

// Of a phase that stands in a `repeat`: which of the run file's it is, which round of how many, all from 0.
struct Round {
    std::uint64_t repeat = 0, number = 0, times = 1;
    friend bool operator==(const Round&, const Round&) = default;
};

} // namespace tessera::run_file
