// A 64-bit number that tells states apart: equal for equal states on any device, whatever the storage.
#pragma once

#include "host/world/state.hpp"

#include <cstdint>
#include <string>

namespace tessera {

class ThreadPool;

// XXH3-64 over, for each collection in the order of the run file: its name, dimensions and extents, and for each member its name, type,
// elements and the XXH3-64 of each block of 2^20 values. Values are hashed as an Array holds them, NaNs as 0x7fc00000 and
// 0x7ff8000000000000. Of agents: their number, and the XXH3-64 of all ids, of the numbers of their places, of their codes and of each
// element of each member, in the order of ids, whatever slots they are in. At least 2^20 of them are held at a time.
[[nodiscard]] std::uint64_t state_hash(const State& state, ThreadPool& pool);

// 16 hexadecimal digits.
[[nodiscard]] std::string hash_text(std::uint64_t hash);

} // namespace tessera
