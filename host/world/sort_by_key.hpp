// Many numbered things in the order of a key.
#pragma once

#include <cstdint>
#include <vector>

namespace tessera {

struct Keyed {
    std::uint64_t key = 0, number = 0;
};

// Sorts by keys, and those of one key by their numbers, by so many threads at most, whatever which in the same order.
void sort_by_key(std::vector<Keyed>& all, int threads);

} // namespace tessera
