// How many links of a place a thread of a GPU goes along by itself. For kernels, and for the host, which says who goes along them.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

inline constexpr std::int64_t few_links = 64;

} // namespace tessera
