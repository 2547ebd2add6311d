#include "host/distribution/arranged.hpp"

#include "device_runtime/error.hpp"
#include "host/distribution/stripes.hpp"
#include "host/setup/seams.hpp"

#include <algorithm>

namespace tessera {
namespace {

void expect_it_fits(const Setup& setup, const Distribution& distribution) {
    const auto partitions = distribution.partitions();
    const auto fits = [&](const std::vector<RowRange>& stripes) { return stripes.size() == partitions; };
    const bool right = partitions == 1 ? distribution.stripes.empty() && !distribution.own_memory
                                       : distribution.stripes.size() == setup.collections.size() &&
                                             std::all_of(distribution.stripes.begin(), distribution.stripes.end(), fits) &&
                                             (distribution.islands.empty() || distribution.islands.size() == partitions);
    if (!right) throw Error(Failure::internal, "a run is distributed as another one would be");
    const auto is_of_one_cpu = [](const CollectionSetup& each) { return each.agents && each.agents->storage->is_ordered(); };
    if (partitions > 1 && std::any_of(setup.collections.begin(), setup.collections.end(), is_of_one_cpu))
        throw Error(Failure::internal, "agents that are stored for one CPU were to be on several devices");
}

// The most rows around a stripe of a collection that a kernel among agents writes into or sees.
int rows_of_agents(const Setup& setup, CollectionId id) {
    int rows = 0;
    for (const auto& kernel : setup.kernels) {
        if (!setup.is_among_agents(kernel)) continue;
        for (const auto& access : kernel.accesses)
            if (setup.columns[access.column].collection == id) rows = std::max(rows, rows_of_memory(setup, kernel, access.column));
    }
    return rows;
}

void widen_frames(Setup& setup, std::uint64_t steps_of_ghosts) {
    for (const auto id : setup.collections.ids()) {
        auto& collection = setup.collections[id];
        if (collection.dimensions == 1) continue;
        const auto of_steps =
            static_cast<int>(steps_of_ghosts) * reach_of_step(setup, id) + 1; // one is fetched and not used (pipeline.hpp)
        const auto rows = std::max(of_steps, rows_of_agents(setup, id));
        for (auto& column : collection.columns) {
            if (column.cells > 0) continue; // of a list, which has no rows
            auto ghost = column.layout.ghost;
            auto& along = ghost[static_cast<std::size_t>(collection.dimensions - 1)];
            along = std::max(along, rows);
            column.layout = make_layout(column.layout.type, column.layout.elements, collection.size, ghost);
        }
    }
}

} // namespace

Setup arranged(Setup setup, Distribution distribution) {
    expect_it_fits(setup, distribution);
    if (distribution.own_memory) widen_frames(setup, distribution.steps_of_ghosts);
    setup.distribution_ = std::move(distribution);
    return setup;
}

} // namespace tessera
