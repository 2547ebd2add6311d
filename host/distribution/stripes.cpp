#include "host/distribution/stripes.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

namespace tessera {
namespace {

std::string devices_text(std::size_t number) { return number == 1 ? "one device" : fmt::format("{} devices", number); }

// Stripes in proportion to the weights, not all of which are 0, with ends at the nearest rows.
std::vector<RowRange> weighed(const RowRange& rows, const std::vector<double>& weights) {
    const double most = *std::max_element(weights.begin(), weights.end()); // so that the sum of large ones is finite
    double sum = 0;
    for (const double weight : weights) sum += weight / most;
    std::vector<RowRange> stripes;
    double before = 0;
    std::int64_t first = rows.first;
    for (const double weight : weights) {
        before += weight / most;
        const auto end = rows.first + std::llround(static_cast<double>(rows.rows()) * std::min(before / sum, 1.0));
        stripes.push_back({first, end});
        first = end;
    }
    stripes.back().end = rows.end;
    return stripes;
}

// Stripes that begin at the cuts of the run file, of those partitions that make the grid.
std::vector<RowRange> cut_by(const std::vector<run_file::Located<std::int64_t>>& cuts, const CollectionSetup& collection,
                             const std::vector<bool>& makes) {
    const auto makers = static_cast<std::size_t>(std::count(makes.begin(), makes.end(), true));
    if (cuts.size() + 1 != makers)
        run_file::fail_at(
            cuts.front().where, fmt::format("`places.{}.cuts` makes {} stripes of the grid", collection.name, cuts.size() + 1),
            makers == makes.size() ? fmt::format("the run has {}", devices_text(makers))
                                   : fmt::format("it is made by {}", devices_text(makers)),
            fmt::format("give one cut less than `{}.devices` has devices", makers == makes.size() ? "run" : "places." + collection.name));
    std::vector<RowRange> stripes;
    std::size_t next = 0;
    std::int64_t first = 0;
    for (const bool one : makes) {
        const auto end = !one ? first : next < cuts.size() ? *cuts[next++] : collection.whole().end;
        stripes.push_back({first, end});
        first = end;
    }
    return stripes;
}

const StripeWishes& stripe_wishes(const Setup& setup, const CollectionSetup& collection) {
    static const StripeWishes none;
    const auto id = setup.find_collection(collection.name).value();
    return id.index() < setup.wishes.stripes.size() ? setup.wishes.stripes[id.index()] : none;
}

} // namespace

const std::vector<run_file::Located<std::int64_t>>& cuts_of(const Setup& setup, const CollectionSetup& collection) {
    return stripe_wishes(setup, collection).cuts;
}

namespace {

// Which partitions make the grid. A device that is named again is the next of the run's with that name.
std::vector<bool> makers_of(const Setup& setup, const CollectionSetup& collection, std::size_t partitions) {
    const auto& named = stripe_wishes(setup, collection).devices;
    const auto& all = setup.wishes.devices;
    std::vector<bool> makes(partitions, named.empty());
    if (!named.empty() && all.size() != partitions)
        run_file::fail_at(named.front().where, fmt::format("`places.{}.devices` are not among those of the run", collection.name),
                          *all.front() == "auto" ? "the run leaves its devices to the program"
                                                 : fmt::format("it has {}", devices_text(partitions)),
                          "name the devices of the run in `run.devices`");
    for (const auto& device : named) {
        std::size_t p = 0;
        while (p < partitions && (makes[p] || *all[p] != *device)) ++p;
        if (p == partitions)
            run_file::fail_at(device.where, fmt::format("`places.{}.devices` names {}", collection.name, *device),
                              "`run.devices` does not name it, or less often", "name the device there as well");
        makes[p] = true;
    }
    return makes;
}

std::vector<double> of_makers(const std::vector<bool>& makes, std::vector<double> weights) {
    for (std::size_t p = 0; p < makes.size(); ++p)
        if (!makes[p]) weights[p] = 0;
    return weights;
}

// Bytes of a grid's columns that a seam at a row puts on the wrong side: pages are counted from the first seam, and each is on the device
// that makes the row in its middle.
std::int64_t bytes_astray(const CollectionSetup& collection, std::int64_t first_seam, std::int64_t row, std::int64_t page) {
    std::int64_t bytes = 0;
    for (const auto& column : collection.columns) {
        const auto& layout = column.layout;
        const auto stride = collection.dimensions == 3 ? layout.plane : layout.row;
        for (int e = 0; e < layout.elements; ++e) {
            const auto into_page =
                ((row - first_seam) * stride + e * layout.element) * static_cast<std::int64_t>(size_of(layout.type)) % page;
            bytes += std::min(into_page, page - into_page) * (column.has_spare ? 2 : 1);
        }
    }
    return bytes;
}

// The row within `most` rows of a seam that puts the fewest bytes on the wrong side; of several the nearest.
std::int64_t nearest_page(const CollectionSetup& collection, std::int64_t first_seam, std::int64_t seam, std::int64_t most,
                          std::int64_t page) {
    auto best = seam;
    auto least = bytes_astray(collection, first_seam, seam, page);
    for (std::int64_t moved = 1; moved <= most && least > 0; ++moved)
        for (const auto row : {seam - moved, seam + moved})
            if (const auto astray = bytes_astray(collection, first_seam, row, page); astray < least) best = row, least = astray;
    return best;
}

// Agents are where their places are.
void follow_grounds(const Setup& setup, Distribution& distribution) {
    if (distribution.stripes.empty()) return;
    for (const auto id : setup.collections.ids())
        if (const auto& agents = setup.collections[id].agents)
            distribution.stripes[id.index()] = distribution.stripes[agents->ground.index()];
}

// Whether one device makes all of it.
bool is_whole(const std::vector<RowRange>& stripes) {
    return std::count_if(stripes.begin(), stripes.end(), [](const RowRange& stripe) { return stripe.rows() > 0; }) < 2;
}

std::size_t first_maker(const std::vector<RowRange>& stripes) {
    std::size_t p = 0;
    while (p + 1 < stripes.size() && stripes[p].rows() == 0) ++p;
    return p;
}
void keep_whole(const RowRange& whole, std::vector<RowRange>& stripes, std::size_t maker) {
    for (std::size_t p = 0; p < stripes.size(); ++p)
        stripes[p] = p == maker ? whole : RowRange{p > maker ? whole.end : 0, p > maker ? whole.end : 0};
}

void keep_whole_under_numbered_agents(const Setup& setup, Distribution& distribution) {
    for (const auto& collection : setup.collections) {
        if (!stand_on_numbers(setup, collection)) continue;
        const auto ground = collection.agents->ground;
        auto& stripes = distribution.stripes[ground.index()];
        keep_whole(setup.collections[ground].whole(), stripes, first_maker(stripes));
    }
    follow_grounds(setup, distribution);
}

// All of them by the first that makes any places of the first links.
void keep_whole_under_links(const Setup& setup, Distribution& distribution) {
    std::optional<std::size_t> maker;
    for (const auto id : setup.collections.ids()) {
        const auto& links = setup.collections[id].links;
        if (!links || !are_of_one_device(setup, id)) continue;
        if (!maker) maker = first_maker(distribution.stripes[links->from.index()]);
        const auto keep = [&](CollectionId whole) {
            keep_whole(setup.collections[whole].whole(), distribution.stripes[whole.index()], *maker);
        };
        keep(id), keep(links->from), keep(links->to);
        for (const auto& source : links->sources) keep(setup.ground_of(source.authors)); // who asks for them writes to their columns
    }
    follow_grounds(setup, distribution);
}

// A row for each partition that makes the grid, as far as there are any.
std::vector<RowRange> row_by_row(const RowRange& whole, const std::vector<bool>& makes) {
    std::vector<RowRange> stripes;
    auto first = whole.first;
    for (const bool one : makes) {
        const auto end = one && first < whole.end ? first + 1 : first;
        stripes.push_back({first, end});
        first = end;
    }
    return stripes;
}

std::vector<RowRange> stripes_of(const Setup& setup, const CollectionSetup& collection, std::size_t partitions) {
    const auto& cuts = cuts_of(setup, collection);
    const auto makes = makers_of(setup, collection, partitions);
    if (!cuts.empty()) return cut_by(cuts, collection, makes);
    if (partitions == 1) return {};
    if (has_too_few_rows(setup, collection, partitions)) return row_by_row(collection.whole(), makes);
    std::vector<double> weights(partitions, 1.0);
    if (setup.wishes.weights.size() == partitions) // not those for "auto", of which nobody knows how many there are
        for (std::size_t p = 0; p < partitions; ++p) weights[p] = *setup.wishes.weights[p];
    return weighed(collection.whole(), of_makers(makes, weights));
}

} // namespace

void settle_on_pages(const Setup& setup, Distribution& distribution, std::int64_t page) {
    constexpr std::int64_t part = 100; // of a stripe that a cut may move
    for (std::size_t c = 0; c < distribution.stripes.size(); ++c) {
        const auto& collection = setup.collections[CollectionId(c)];
        if (collection.dimensions == 1 || collection.agents || !cuts_of(setup, collection).empty()) continue;
        auto& stripes = distribution.stripes[c];
        const auto before = stripes;
        std::optional<std::int64_t> first_seam;
        for (std::size_t p = 0; p + 1 < before.size(); ++p) {
            const auto seam = before[p].end;
            if (seam == 0 || seam == collection.whole().end) continue;
            if (!first_seam) first_seam = seam;
            if (seam == *first_seam) continue;
            const auto most = std::min(before[p].rows(), before[p + 1].rows()) / part;
            stripes[p].end = stripes[p + 1].first = nearest_page(collection, *first_seam, seam, most, page);
        }
    }
    follow_grounds(setup, distribution);
}

bool cuts_are_measured(const Setup& setup, const CollectionSetup& collection) { return stripe_wishes(setup, collection).cuts_measured; }

void move_cuts(const Setup& setup, Distribution& distribution, const std::vector<double>& speeds) {
    for (std::size_t c = 0; c < distribution.stripes.size(); ++c) {
        const auto& collection = setup.collections[CollectionId(c)];
        if (cuts_are_measured(setup, collection) && !is_whole(distribution.stripes[c]))
            distribution.stripes[c] = weighed(collection.whole(), of_makers(makers_of(setup, collection, speeds.size()), speeds));
    }
    follow_grounds(setup, distribution);
}

bool has_too_few_rows(const Setup& setup, const CollectionSetup& collection, std::size_t partitions) {
    const auto makes = makers_of(setup, collection, partitions);
    return collection.whole().rows() < std::count(makes.begin(), makes.end(), true);
}

bool are_of_one_device(const Setup& setup, CollectionId links) {
    const auto& collection = setup.collections[links];
    const auto& description = setup.description();
    return collection.links->changes ||
           std::any_of(description.functions.begin(), description.functions.end(), [&](const model::Function& function) {
               return std::any_of(function.link_uses.begin(), function.link_uses.end(), [&](const model::LinkUse& use) {
                   return use.row == collection.row && (!use.sent.empty() || description.rows[function.row].ground);
               });
           });
}

bool stand_on_numbers(const Setup& setup, const CollectionSetup& agents) noexcept {
    return agents.agents && !setup.collections[agents.agents->ground].has_shape();
}

bool belong_to_no_rows(const CollectionSetup& agents) noexcept {
    return !agents.agents->storage->has_rows_of_places() || agents.has(Role::goal);
}

std::vector<CollectionId> keep_whole_under_agents(const Setup& setup, Distribution& distribution) {
    std::vector<CollectionId> reasons;
    for (const auto id : setup.collections.ids()) {
        const auto& agents_setup = setup.collections[id].agents;
        if (!agents_setup || !belong_to_no_rows(setup.collections[id])) continue;
        const auto& places = setup.collections[agents_setup->ground];
        auto& stripes = distribution.stripes[agents_setup->ground.index()];
        if (is_whole(stripes)) continue;
        keep_whole(places.whole(), stripes, first_maker(stripes));
        reasons.push_back(id);
    }
    follow_grounds(setup, distribution);
    return reasons;
}

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

std::uint64_t steps_with_room(const Setup& setup, const Distribution& distribution) {
    std::int64_t least = 1024;
    for (const auto id : setup.collections.ids()) {
        const auto& collection = setup.collections[id];
        const auto reach = reach_of_step(setup, id);
        if (collection.dimensions == 1 || reach == 0) continue;
        for (const auto& stripe : distribution.stripes[id.index()])
            if (stripe.rows() > 0) least = std::min(least, stripe.rows() / (2 * reach));
    }
    return static_cast<std::uint64_t>(std::max<std::int64_t>(least, 1));
}

std::uint64_t steps_worth_ghosts(const Setup& setup, const Distribution& distribution) {
    constexpr std::uint64_t most = 16; // of those that any view makes at once
    return std::min(steps_with_room(setup, distribution), most);
}

void give_own_memory(const Setup& setup, Distribution& distribution, std::uint64_t steps_a_cycle, std::uint64_t steps_of_ghosts) {
    (void)keep_whole_under_agents(setup, distribution);
    distribution.own_memory = true;
    keep_whole_under_numbered_agents(setup, distribution);
    keep_whole_under_links(setup, distribution);
    distribution.steps_a_cycle = steps_a_cycle;
    distribution.steps_of_ghosts = steps_of_ghosts;
}

Distribution divided(const Setup& setup, std::size_t partitions) {
    Distribution distribution;
    distribution.owners.resize(partitions);
    for (std::size_t p = 0; p < partitions; ++p) distribution.owners[p].device = p;
    for (const auto& collection : setup.collections)
        distribution.stripes.push_back(collection.agents ? std::vector<RowRange>{} : stripes_of(setup, collection, partitions));
    if (partitions == 1) {
        distribution.stripes.clear();
    } else {
        keep_whole_under_numbered_agents(setup, distribution);
        keep_whole_under_links(setup, distribution);
    }
    follow_grounds(setup, distribution);
    return distribution;
}

} // namespace tessera
