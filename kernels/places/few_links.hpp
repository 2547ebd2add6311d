// How many links of a place a thread of a GPU goes along by itself: in a network where none has more than few_links all of them. For
// kernels, and for the host, which says who goes along them.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

inline constexpr std::int64_t few_links = 64, links_of_thread = 32;

} // namespace tessera
