#include "host/setup/stripes.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera {
namespace {

// Stripes in proportion to the weights, with ends at the nearest rows.
std::vector<Band> weighed(const Band& rows, const std::vector<double>& weights) {
    const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
    std::vector<Band> stripes;
    double before = 0;
    std::int64_t first = rows.first;
    for (const double weight : weights) {
        before += weight;
        const auto end = rows.first + std::llround(static_cast<double>(rows.rows()) * std::min(before / sum, 1.0));
        stripes.push_back({first, end});
        first = end;
    }
    stripes.back().end = rows.end;
    return stripes;
}

// Stripes that begin at the cuts of the run file.
std::vector<Band> cut_by(const std::vector<run_file::Located<std::int64_t>>& cuts, const CollectionSetup& collection,
                         std::size_t partitions) {
    if (cuts.size() + 1 != partitions)
        run_file::fail_at(cuts.front().where,
                          fmt::format("`places.{}.cuts` makes {} stripes of the grid", collection.name, cuts.size() + 1),
                          fmt::format("the run has {}", partitions == 1 ? "one device" : fmt::format("{} devices", partitions)),
                          "give one cut less than `run.devices` has devices");
    std::vector<Band> stripes;
    std::int64_t first = 0;
    for (const auto& at : cuts) {
        stripes.push_back({first, *at});
        first = *at;
    }
    stripes.push_back({first, collection.whole().end});
    return stripes;
}

const std::vector<run_file::Located<std::int64_t>>& cuts_of(const Setup& setup, const CollectionSetup& collection) {
    for (const auto& places : setup.run.places)
        if (*places->name == collection.name) return places->cuts;
    static const std::vector<run_file::Located<std::int64_t>> none;
    return none;
}

std::vector<Band> stripes_of(const Setup& setup, const CollectionSetup& collection, std::size_t partitions) {
    const auto& cuts = cuts_of(setup, collection);
    if (!cuts.empty()) return cut_by(cuts, collection, partitions);
    if (partitions == 1) return {};
    std::vector<double> weights(partitions, 1.0);
    for (std::size_t p = 0; p < setup.run.run.weights.size(); ++p) weights[p] = *setup.run.run.weights[p];
    return weighed(collection.whole(), weights);
}

} // namespace

int reach_of_step(const Setup& setup, CollectionId collection) {
    const auto dims = static_cast<std::size_t>(setup.collections[collection].dimensions - 1);
    int sum = 0;
    for (const auto& phase : setup.phases) {
        const auto* call = std::get_if<CallPhase>(&phase.action);
        if (!call || setup.kernels[call->kernel].collection != collection) continue;
        int reach = 0;
        for (const auto& access : setup.kernels[call->kernel].accesses)
            reach = std::max({reach, access.use.low[dims][dims], access.use.high[dims][dims]});
        sum += reach;
    }
    return sum;
}

std::uint64_t steps_with_room(const Setup& setup) {
    std::int64_t least = 1024;
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        const auto reach = reach_of_step(setup, id);
        if (collection.dimensions == 1 || reach == 0) continue;
        for (const auto& stripe : collection.stripes)
            if (stripe.rows() > 0) least = std::min(least, stripe.rows() / (2 * reach));
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(least, 1));
}

std::uint64_t steps_worth_ghosts(const Setup& setup) {
    constexpr std::uint64_t most = 16; // of those that any view makes at once
    return std::min(steps_with_room(setup), most);
}

void give_own_memory(Setup& setup, std::uint64_t steps_a_cycle, std::uint64_t steps_of_ghosts) {
    setup.own_memory = true;
    setup.steps_a_cycle = steps_a_cycle;
    setup.steps_of_ghosts = steps_of_ghosts;
    for (const auto id : setup.collections.ids()) {
        auto& collection = setup.collections[id];
        if (collection.dimensions == 1) continue;
        const auto rows = static_cast<int>(steps_of_ghosts) * reach_of_step(setup, id) + 1; // one is fetched and not used (pipeline.hpp)
        for (auto& column : collection.columns) {
            auto ghost = column.layout.ghost;
            auto& along = ghost[static_cast<std::size_t>(collection.dimensions - 1)];
            along = std::max(along, rows);
            column.layout = make_layout(column.layout.type, column.layout.elements, collection.size, ghost);
        }
    }
}

void divide(Setup& setup, std::size_t partitions) {
    const auto holds = [&](const CollectionSetup& collection) {
        return collection.whole().rows() >= static_cast<std::int64_t>(partitions);
    };
    if (std::none_of(setup.collections.begin(), setup.collections.end(), holds))
        throw Error(Failure::input, fmt::format("{} devices cannot share {}", partitions, setup.description().name),
                    "no grid has as many rows: it is cut along its last axis", "name fewer devices");
    for (auto& collection : setup.collections) collection.stripes = stripes_of(setup, collection, partitions);
    setup.in_bands = partitions > 1;
}

} // namespace tessera
