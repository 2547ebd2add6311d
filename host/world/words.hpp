// Buffers that hold no column, but what programs make of one: 32 places to a word (kernels/fused/word_layout.hpp).
#pragma once

#include "host/setup/ids.hpp"

#include <cstddef>

namespace tessera {

// `planes` planes, each with the rows of a grid one after the other (the planes of z, of three dimensions), and `ghosts` before and behind
// them where partitions have memory of their own.
struct Words {
    CollectionId collection;
    std::size_t row_bytes = 0;
    int planes = 1, ghosts = 0;
};

} // namespace tessera
