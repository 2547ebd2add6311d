// Grids cut anywhere, as no rule would cut them.
#pragma once

#include "host/setup/setup.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera::test {

// As many stripes in each collection, of drawn rows: some thin, some empty. `dice()` draws a number.
template<class Dice> void cut_anywhere(Setup& setup, std::size_t partitions, Dice& dice) {
    for (auto& collection : setup.collections) {
        if (collection.crowd) { // where its places are
            collection.stripes = setup.collections[collection.crowd->ground].stripes;
            continue;
        }
        const auto rows = static_cast<std::uint64_t>(collection.whole().rows());
        std::vector<std::int64_t> cuts{0, collection.whole().end};
        while (cuts.size() <= partitions) cuts.push_back(static_cast<std::int64_t>(dice() % (rows + 1)));
        std::sort(cuts.begin(), cuts.end());
        collection.stripes.clear();
        for (std::size_t p = 0; p < partitions; ++p) collection.stripes.push_back({cuts[p], cuts[p + 1]});
    }
    setup.in_bands = partitions > 1;
}

// Stripes that begin at these rows, in each collection as far as it has them.
inline void cut_at(Setup& setup, const std::vector<std::int64_t>& cuts) {
    std::size_t partitions = 1;
    for (auto& collection : setup.collections) {
        collection.stripes = cut(collection.whole(), cuts);
        partitions = std::max(partitions, collection.stripes.size());
    }
    for (auto& collection : setup.collections) collection.stripes.resize(partitions, {collection.whole().end, collection.whole().end});
    setup.in_bands = true;
}

} // namespace tessera::test
