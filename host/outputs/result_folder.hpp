// Where a run's results go. A folder that holds an earlier run's results is not touched unless asked for.
#pragma once

#include <filesystem>
#include <string>

namespace tessera {

inline constexpr const char* manifest_name = "manifest.json";

// Makes the folder `wanted` and returns it. One that is there and not empty is Failure::output, unless `overwrite`: then what an earlier
// run's manifest lists is removed from it first, and nothing else. Throws Failure::output if it cannot be made.
[[nodiscard]] std::filesystem::path claim_result_folder(const std::filesystem::path& wanted, bool overwrite);

// Makes and returns the first of base, base-2, base-3, ... that is not there yet.
[[nodiscard]] std::filesystem::path new_result_folder(const std::filesystem::path& base);

} // namespace tessera
