// When a run keeps its state, so that it can be resumed.
#pragma once

#include "host/run_file/where.hpp"

#include <cstdint>
#include <optional>

namespace tessera::run_file {

enum class Compression { none, zstd };

// One of `every`, `every_seconds` and `at_end` is given at least, and not both of the first two.
struct Checkpoints {
    std::optional<Located<std::uint64_t>> every; // steps
    std::optional<Located<double>> every_seconds;
    Located<std::uint64_t> keep{2, {}};           // how many stay
    Located<bool> at_end{false, {}};              // one of the last state too
    std::optional<Located<std::uint64_t>> memory; // bytes for a state that is not written yet; absent: by what the machine has
    Located<Compression> compress{Compression::none, {}};
    friend bool operator==(const Checkpoints&, const Checkpoints&) = default;
};

} // namespace tessera::run_file
