#include "host/viewer/follow.hpp"

#include "host/setup/names.hpp"
#include "host/viewer/agent_json.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <vector>

namespace tessera::viewer {

std::optional<Followed> followed_of(const Setup& setup, const std::string& collection, const std::string& id) {
    const auto found = setup.find_collection(collection);
    Followed followed{collection, 0};
    const auto [end, error] = std::from_chars(id.data(), id.data() + id.size(), followed.id);
    if (!found || !setup.collections[*found].agents || error != std::errc() || end != id.data() + id.size()) return std::nullopt;
    return followed;
}

namespace {

// Where an agent is along an axis, in places from the grid's edge: in the middle of its place, or anywhere in space.
double coordinate(const Setup& setup, CollectionId agents, std::size_t agent, std::size_t axis, const StateView& state) {
    const auto& collection = setup.collections[agents];
    if (!collection.agents->space) return static_cast<double>(place_of(collection, state.agents(agents).places[agent])[axis]) + 0.5;
    const auto type = collection.agents->space->number;
    const auto* const values = state.agent_values(setup.positions_of(agents), static_cast<int>(axis));
    const auto position = with_type(type, [&](auto kind) {
        std::memcpy(&kind, values + agent * size_of(type), sizeof kind);
        return static_cast<double>(kind);
    });
    return position / collection.agents->space->extent[axis] * static_cast<double>(collection.size[axis]);
}

// Its number in the order of ids; as many as there are, where it is none of them.
std::size_t find_agent(const std::vector<std::uint64_t>& ids, std::uint64_t id) {
    const auto at = std::lower_bound(ids.begin(), ids.end(), id);
    return at != ids.end() && *at == id ? static_cast<std::size_t>(at - ids.begin()) : ids.size();
}

} // namespace

Told told_of(const Setup& setup, const Followed& followed, const StateView& state) {
    const auto found = setup.find_collection(followed.collection); // which changed sources may have no more
    const bool are_there = found && setup.collections[*found].agents;
    const auto agent = are_there ? find_agent(state.agents(*found).ids, followed.id) : 0;
    const bool is_gone = !are_there || agent == state.agents(*found).ids.size();
    nlohmann::ordered_json told{{"collection", followed.collection}, {"id", std::to_string(followed.id)}};
    if (!is_gone) {
        told = agent_json(setup, *found, agent, state);
        const auto& collection = setup.collections[*found];
        told["places"] = setup.collections[collection.agents->ground].name;
        for (std::size_t axis = 0; axis < 3; ++axis)
            told[std::string(1, "xyz"[axis])] =
                axis < static_cast<std::size_t>(collection.dimensions) ? coordinate(setup, *found, agent, axis, state) : 0.5;
    } else {
        told["gone"] = true;
    }
    return {nlohmann::ordered_json{{"followed", std::move(told)}}.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace),
            is_gone};
}

} // namespace tessera::viewer
