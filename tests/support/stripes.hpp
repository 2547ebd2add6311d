// Grids cut anywhere, as no rule would cut them, and machines that there need not be.
#pragma once

#include "host/distribution/arranged.hpp"
#include "host/distribution/distribute.hpp"
#include "host/distribution/stripes.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera::test {

// As many owners, of stripes that are to be made.
inline Distribution owners(std::size_t partitions) {
    Distribution distribution;
    distribution.owners.resize(partitions);
    for (std::size_t p = 0; p < partitions; ++p) distribution.owners[p].device = p;
    return distribution;
}

// As many stripes in each collection, of drawn rows: some thin, some empty. `dice()` draws a number.
template<class Dice> Distribution cut_anywhere(const Setup& setup, std::size_t partitions, Dice& dice) {
    auto distribution = owners(partitions);
    if (partitions == 1) return distribution;
    for (const auto& collection : setup.collections) {
        auto& stripes = distribution.stripes.emplace_back();
        if (collection.agents) { // where its places are
            stripes = std::vector<RowRange>(distribution.stripes[collection.agents->ground.index()]);
            continue;
        }
        const auto rows = static_cast<std::uint64_t>(collection.whole().rows());
        std::vector<std::int64_t> cuts{0, collection.whole().end};
        while (cuts.size() <= partitions) cuts.push_back(static_cast<std::int64_t>(dice() % (rows + 1)));
        std::sort(cuts.begin(), cuts.end());
        for (std::size_t p = 0; p < partitions; ++p) stripes.push_back({cuts[p], cuts[p + 1]});
    }
    return distribution;
}

// Stripes that begin at these rows, in each collection as far as it has them; at least two, of which the second has no rows then.
inline Distribution cut_at(const Setup& setup, const std::vector<std::int64_t>& cuts) {
    Distribution distribution;
    std::size_t partitions = 2;
    for (const auto& collection : setup.collections) {
        distribution.stripes.push_back(cut(collection.whole(), cuts));
        partitions = std::max(partitions, distribution.stripes.back().size());
    }
    for (const auto id : setup.collections.ids()) {
        const auto end = setup.collections[id].whole().end;
        distribution.stripes[id.index()].resize(partitions, {end, end});
    }
    distribution.owners = owners(partitions).owners;
    return distribution;
}

// With memory of their own (give_own_memory).
inline Distribution in_own_memory(const Setup& setup, Distribution distribution, std::uint64_t steps_a_cycle,
                                  std::uint64_t steps_of_ghosts) {
    give_own_memory(setup, distribution, steps_a_cycle, steps_of_ghosts);
    return distribution;
}

// As a run over devices of these names, which share memory, would be.
inline Setup over(const Setup& setup, const std::vector<std::string>& names) {
    return arranged(setup, distribute(setup, sharing_machine(names)).distribution);
}
inline Setup over_cpus(const Setup& setup, std::size_t count) { return over(setup, std::vector<std::string>(count, "cpu")); }

// CPUs none of which shares memory with another, as if somebody had asked them.
inline Machine cpus_apart(std::size_t count) {
    auto machine = sharing_machine(std::vector<std::string>(count, "cpu"));
    machine.is_assumed = false;
    for (std::size_t a = 0; a < count; ++a)
        for (std::size_t b = 0; b < count; ++b)
            if (a != b) machine.pair(a, b) = {false, "cpu and cpu do not share memory, in a test", false};
    return machine;
}
// Over these, exchanging rows each step, unless the run file has a halo.
inline Setup over_cpus_apart(const Setup& setup, std::size_t count) {
    return arranged(setup, distribute(setup, cpus_apart(count)).distribution);
}

} // namespace tessera::test
