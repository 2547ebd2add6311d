// Neighbourhoods that are all places around, whose sums can be made of the sums of planes.
#pragma once

#include <tessera/detail/offsets.hpp>

namespace tessera {

// Which offsets of at most one place a neighbourhood has, each once: bit 9 (z + 1) + 3 (y + 1) + x + 1. 0 for any other.
template<class N, int Dims> constexpr std::uint32_t offsets_once() {
    std::uint32_t all = 0;
    for (int i = 0; i < N::template count<Dims>; ++i) {
        const place_offset o = N::template at<Dims>(i);
        if (magnitude(o.x) > 1 || magnitude(o.y) > 1 || magnitude(o.z) > 1) return 0;
        const std::uint32_t bit = std::uint32_t(1) << (9 * (o.z + 1) + 3 * (o.y + 1) + o.x + 1);
        if ((all & bit) != 0) return 0;
        all |= bit;
    }
    return all;
}
template<int Dims> inline constexpr std::uint32_t whole_box = Dims == 2 ? ((1u << 9) - 1) << 9 : (1u << 27) - 1;
inline constexpr std::uint32_t centre_of_box = std::uint32_t(1) << 13;
template<class N, int Dims> inline constexpr bool is_box = (offsets_once<N, Dims>() | centre_of_box) == whole_box<Dims>;

} // namespace tessera
