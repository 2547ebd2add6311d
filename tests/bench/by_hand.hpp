// The loops of tests/bench/reference/ as functions of one signature, compiled with the options that models are compiled with.
#pragma once

#include <cstdint>

namespace tessera::bench {

// One step of rows [first, last): `in` and `out` point to place (0, 0), rows are `pitch` places apart (reference/README.md).
void life_by_hand(const void* in, void* out, std::int64_t nx, std::int64_t ny, std::int64_t pitch, std::int64_t first, std::int64_t last);
void heat_by_hand(const void* in, void* out, std::int64_t nx, std::int64_t ny, std::int64_t pitch, std::int64_t first, std::int64_t last);

} // namespace tessera::bench
