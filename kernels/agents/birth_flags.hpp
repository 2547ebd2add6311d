// Which birth requests of a source there are, of children in a list in the order of places (list.hpp): a byte for each that there is room
// for, gone over by words of 16. For kernels, and for the host, which launches them.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

inline constexpr int flags_a_word = 16;
constexpr std::int64_t words_of_flags(std::int64_t birth_requests) { return (birth_requests + flags_a_word - 1) / flags_a_word; }

} // namespace tessera
