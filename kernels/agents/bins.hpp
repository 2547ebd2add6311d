// Which place of those along an axis holds a position. For kernels, and for the host, which places the first agents.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

// `width` is that of a place, `places` how many there are. Exact for floats where the width is one: what is no whole number of widths is
// further from one than doubles round. Else within the rounding of a double, and in the order of positions in any case.
TESSERA_FN constexpr std::int64_t bin_of(double position, double width, std::int64_t places) {
    const auto bin = static_cast<std::int64_t>(position / width);
    return bin < places ? bin : places - 1;
}

} // namespace tessera
