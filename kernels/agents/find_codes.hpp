// Finding who is there in a row of codes, on a CPU.
#pragma once

#include <tessera/detail/base.hpp>

#if !TESSERA_GPU
namespace tessera {

// Writes the numbers of the codes of a row in [from, until) that are at least `Least` to `found`, which has room for that many; how many
// they are. No branch tells one code from the next, for a processor could only guess. Of codes that are `Few`, eight bytes are looked at
// together.
template<int Least, bool Few, class Code> inline int find_codes(const Code* row, int from, int until, int* found) {
    int count = 0, x = from;
    if constexpr (Few && sizeof(Code) == 1 && Least > 0 && Least <= 128) {
        constexpr std::uint64_t each = 0x0101010101010101, low = 0x7f * each, add = (0x80 - Least) * each;
        for (; x + 8 <= until; x += 8) {
            std::uint64_t eight;
            __builtin_memcpy(&eight, row + x, 8);
            if (eight == 0) continue;
            for (std::uint64_t hits = (((eight & low) + add) | eight) & ~low; hits != 0; hits &= hits - 1)
                found[count++] = x + __builtin_ctzll(hits) / 8; // the first of eight bytes is the lowest
        }
    }
    for (; x < until; ++x) {
        found[count] = x;
        count += __atomic_load_n(row + x, __ATOMIC_RELAXED) >= Least ? 1 : 0;
    }
    return count;
}

} // namespace tessera
#endif
