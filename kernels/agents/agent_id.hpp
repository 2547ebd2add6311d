// Ids of agents: who is born, in which cycle, where, and as which of those who are born there in it. For kernels, and for the host.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

// 24 bits of the cycle, as many as the number of a place may have, and the rest of 40 for the rank, from 1. So ids do not depend on
// devices, on storage or on who else there is; and 0 is nobody.
inline constexpr int id_bits_of_cycle = 24, id_bits_of_birth = 40;

TESSERA_FN constexpr std::uint64_t agent_id(std::uint64_t cycle, std::uint64_t place, std::uint64_t rank, int place_bits) {
    return cycle << id_bits_of_birth | place << (id_bits_of_birth - place_bits) | rank;
}

// So many bits that the numbers of all places have them.
constexpr int bits_of_places(std::int64_t places) {
    int bits = 0;
    while ((std::int64_t{1} << bits) < places) ++bits;
    return bits;
}

} // namespace tessera
