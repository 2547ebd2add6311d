// What stands before the arguments of the kernels that one kernel makes, one after the other for a place (chained.hpp). For kernels, and
// for the host, which fills it in.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

struct fault_record;

struct chain_head {
    fault_record* faults; // of the partition; behind it there is one for each part of a chain
    std::uint64_t first_phase, last_phase;
};
inline constexpr int chain_threads = 64; // a block
inline constexpr int most_chain_parts = 32;

} // namespace tessera
