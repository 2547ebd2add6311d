// Whether what a run has written up to a state is still there when it goes on from it.
#pragma once

#include "host/outputs/positions.hpp"
#include "host/outputs/result_folder.hpp"

#include <cstdint>

namespace tessera {

// XXH3-64 of the last MiB of the first so many bytes of a file. Throws Failure::output where it has fewer.
[[nodiscard]] std::uint64_t hash_of_end(const FilePlace& place, std::uint64_t bytes);

// Throws Failure::output for a file that is not there, or has another size than it had; tables may have more rows than they had, behind
// those that they had.
void check_written(const ResultFolder& folder, const OutputPositions& positions);

} // namespace tessera
