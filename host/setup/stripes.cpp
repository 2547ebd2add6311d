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

} // namespace

void divide(Setup& setup, std::size_t partitions) {
    const auto holds = [&](const CollectionSetup& collection) {
        return collection.whole().rows() >= static_cast<std::int64_t>(partitions);
    };
    if (std::none_of(setup.collections.begin(), setup.collections.end(), holds))
        throw Error(Failure::input, fmt::format("{} devices cannot share {}", partitions, setup.description().name),
                    "no grid has as many rows: it is cut along its last axis", "name fewer devices");
    for (auto& collection : setup.collections) {
        if (partitions == 1)
            collection.stripes.clear();
        else
            collection.stripes = weighed(collection.whole(), std::vector<double>(partitions, 1.0));
    }
    setup.in_bands = partitions > 1;
}

} // namespace tessera
