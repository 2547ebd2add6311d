// What stands before the arguments of the kernels that one kernel makes, one after the other for a place (chained.hpp). For kernels, and
// for the host, which fills it in.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

struct fault_record;

struct chain_head {
    fault_record* faults;                        // of the partition; behind it there is one for each part of a chain
    const std::uint64_t* first_step;             // as in launch_arguments
    std::uint64_t step_after_first, steps_later; // of the first part; and the last part's step is so many later
    std::uint64_t first_phase, last_phase;       // their numbers
    const std::uint64_t* left_out;               // as in join_arguments
    std::int32_t first_part, end_part;           // those that are made
};
inline constexpr int chain_threads = 64; // a block
inline constexpr int most_chain_parts = 32;

} // namespace tessera
