#include "host/run/room.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

constexpr std::uint64_t most = std::uint64_t{1} << 30, many = std::uint64_t{1} << 20;

// For so many, and those to come: of those that are many already memory counts more than compiling again.
std::uint64_t room_for(std::uint64_t count, Spare spare = Spare::ample) {
    const auto room = spare == Spare::little ? count + count / 4 : count < many ? 8 * count : 3 * count;
    return std::clamp<std::uint64_t>(room, 1, most);
}

bool may_grow(const CollectionSetup& collection) {
    return collection.crowd && collection.crowd->in_list && !collection.crowd->sources.empty();
}

std::uint64_t room_of(const CollectionSetup& agents) { return static_cast<std::uint64_t>(agents.crowd->capacity); }

// `wanted` says for how many a collection is to have room.
template<class Wanted> std::optional<Setup> with_rooms(const Setup& setup, const Wanted& wanted) {
    auto run = setup.run;
    for (const auto agents : setup.collections.ids()) {
        const auto& collection = setup.collections[agents];
        if (!may_grow(collection)) continue;
        const auto room = wanted(agents, room_of(collection));
        if (room != room_of(collection)) run.agents[agents.index() - run.places.size()].value.grown_room = room;
    }
    if (run == setup.run) return std::nullopt;
    auto next = bind(*setup.model, std::move(run));
    for (const auto agents : next.collections.ids()) // as at first again
        if (may_grow(next.collections[agents]) && room_of(next.collections[agents]) != next.agents_of(agents).grown_room)
            next.run.agents[agents.index() - next.run.places.size()].value.grown_room = 0;
    next.debug = setup.debug;
    next.checked = setup.checked;
    next.hooked = setup.hooked;
    return next;
}

} // namespace

bool has_growing_lists(const Setup& setup) { return std::any_of(setup.collections.begin(), setup.collections.end(), may_grow); }

std::optional<Setup> with_fitting_room(const Setup& setup, const std::function<std::uint64_t(CollectionId)>& alive, bool may_shrink) {
    return with_rooms(setup, [&](CollectionId agents, std::uint64_t room) {
        const auto count = alive(agents);
        const bool is_tight = 4 * count > 3 * room, is_wide = may_shrink && 64 * count < room && setup.agents_of(agents).grown_room != 0;
        return is_tight || is_wide ? room_for(count) : room;
    });
}

std::optional<Setup> with_more_room(const Setup& setup, const OutgrownRoom& outgrown, Spare spare) {
    return with_rooms(setup, [&](CollectionId agents, std::uint64_t room) {
        const auto wanted = outgrown.wanted(setup, agents);
        return wanted == 0 || wanted > most ? room : room_for(wanted, spare);
    });
}

std::string rooms_text(const Setup& setup) {
    std::string text;
    for (const auto& collection : setup.collections)
        if (may_grow(collection)) text += fmt::format("{}{} of {}", text.empty() ? "" : ", ", room_of(collection), collection.name);
    return text;
}

} // namespace tessera
