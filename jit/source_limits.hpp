// How large a model's source may be, wherever it comes from.
#pragma once

#include <cstdint>

namespace tessera::jit {

inline constexpr std::uint64_t most_bytes_of_source = 16 << 20; // of a file, and of all files of a model together
inline constexpr std::uint32_t most_files_of_source = 1000;

} // namespace tessera::jit
