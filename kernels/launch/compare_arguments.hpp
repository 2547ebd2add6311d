// What tessera_compare gets (compare.hpp); the host fills it in (host/execute/trial.cpp).
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

struct compare_arguments {
    const unsigned char *a, *b; // place (0, 0, z) of an element
    std::uint64_t* differ;      // becomes 1 if they do
    std::int64_t row_bytes, pitch, rows;
};

} // namespace tessera
