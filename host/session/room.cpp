#include "host/session/room.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 30, many = std::uint64_t{1} << 20;

// For so many, and those to come: of those that are many already memory counts more than compiling again.
std::uint64_t room_for(std::uint64_t count, Spare spare = Spare::ample) {
    const auto room = spare == Spare::little ? count + count / 4 : count < many ? 8 * count : 3 * count;
    return std::clamp<std::uint64_t>(room, 1, most);
}

// In steps.
bool may_grow(const CollectionSetup& collection) {
    if (collection.are_changing_links()) return !collection.links->sources.empty();
    return collection.agents && !collection.agents->is_limited() && !collection.agents->sources.empty();
}

// In steps, or by the children of init functions.
bool has_children(const Setup& setup, CollectionId agents) {
    if (setup.collections[agents].links) return may_grow(setup.collections[agents]);
    if (!setup.collections[agents].agents || setup.collections[agents].agents->is_limited()) return false;
    return may_grow(setup.collections[agents]) || std::any_of(setup.init_kernels.begin(), setup.init_kernels.end(), [&](KernelId kernel) {
               const auto lists = setup.lists_with_first_children(setup.kernels[kernel]);
               return std::find(lists.begin(), lists.end(), agents) != lists.end();
           });
}

void give_room(run_file::RunFile& run, CollectionId id, const CollectionSetup& collection, std::uint64_t room) {
    const auto links = id.index() - run.places.size(); // the places come first, then links
    if (collection.links)
        run.links[links].value.grown_room = room;
    else
        run.agents[links - run.links.size()].value.grown_room = room;
}

// Cuts that were measured are those of the run from now on.
void keep_measured_cuts(const Setup& setup, run_file::RunFile& run) {
    if (setup.partitions() == 1) return;
    for (std::size_t i = 0; i < run.places.size(); ++i) {
        auto& places = run.places[i].value;
        const auto& stripes = setup.distribution().stripes[i];
        if (!*places.cuts_measured) continue;
        std::vector<std::int64_t> cuts;
        for (const auto& stripe : stripes)
            if (stripe.rows() > 0) cuts.push_back(stripe.first);
        if (cuts.size() < 2 || cuts.size() != (places.devices.empty() ? stripes.size() : places.devices.size())) continue;
        places.cuts.clear();
        for (std::size_t c = 1; c < cuts.size(); ++c) places.cuts.push_back({cuts[c], places.cuts_measured.where});
        places.cuts_measured.value = false;
    }
}

// `wanted` says for how many a collection is to have room.
template<class Wanted> std::optional<Bound> with_rooms(const Setup& setup, const run_file::RunFile& before, const Wanted& wanted) {
    auto run = before;
    for (const auto agents : setup.collections.ids()) {
        const auto& collection = setup.collections[agents];
        if (!has_children(setup, agents)) continue;
        const auto room = wanted(agents, room_of(collection));
        if (room != room_of(collection)) give_room(run, agents, collection, room);
    }
    if (run == before) return std::nullopt;
    keep_measured_cuts(setup, run);
    return bound_again(setup, std::move(run));
}

} // namespace

bool has_growing_lists(const Setup& setup) { return std::any_of(setup.collections.begin(), setup.collections.end(), may_grow); }

std::optional<Bound> with_fitting_room(const Setup& setup, const run_file::RunFile& run,
                                       const std::function<std::uint64_t(CollectionId)>& alive) {
    return with_rooms(setup, run, [&](CollectionId agents, std::uint64_t room) {
        if (!may_grow(setup.collections[agents])) return room;
        const auto count = alive(agents);
        return 4 * count > 3 * room ? room_for(count) : room;
    });
}

std::optional<Bound> with_more_room(const Setup& setup, const run_file::RunFile& run, const OutgrownRoom& outgrown, Spare spare) {
    return with_rooms(setup, run, [&](CollectionId agents, std::uint64_t room) {
        const auto wanted = outgrown.wanted(setup, agents);
        return wanted == 0 || wanted > most ? room : room_for(wanted, spare);
    });
}

std::string rooms_text(const Setup& setup) {
    std::vector<CollectionId> growing;
    for (const auto id : setup.collections.ids())
        if (has_children(setup, id)) growing.push_back(id);
    return rooms_text(setup, growing);
}

} // namespace tessera
