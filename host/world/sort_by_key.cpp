#include "host/world/sort_by_key.hpp"

#include <boost/sort/block_indirect_sort/block_indirect_sort.hpp>

namespace tessera {

void sort_by_key(std::vector<Keyed>& all, int threads) {
    boost::sort::block_indirect_sort(
        all.begin(), all.end(), [](const Keyed& a, const Keyed& b) { return a.key != b.key ? a.key < b.key : a.number < b.number; },
        static_cast<std::uint32_t>(threads));
}

} // namespace tessera
