#include "host/viewer/inspect.hpp"

#include "host/setup/names.hpp"
#include "host/setup/value.hpp"
#include "host/viewer/about.hpp"

#include <nlohmann/json.hpp>

#include <cstring>
#include <vector>

namespace tessera::viewer {
namespace {

using Json = nlohmann::ordered_json;

// A member's elements as people read them; `value(element)` is where one stands.
template<class Value> Json member_json(const model::Member& member, const Value& value) {
    const auto bytes = size_of(member.type);
    std::vector<std::byte> elements(bytes * static_cast<std::size_t>(member.elements));
    for (int e = 0; e < member.elements; ++e) std::memcpy(elements.data() + static_cast<std::size_t>(e) * bytes, value(e), bytes);
    return Json::array({member.name, readable(member.type, elements.data(), member.elements)});
}

Json agent_json(const Setup& setup, CollectionId id, std::size_t agent, const StateView& state) {
    const auto& collection = setup.collections[id];
    auto members = Json::array();
    for (const auto& member : setup.row_of(collection).members) {
        const auto column = require_column(setup, {{collection.name, member.name}, {}});
        members.push_back(member_json(member, [&](int e) { return state.agent_values(column, e) + agent * size_of(member.type); }));
    }
    return {{"collection", collection.name}, {"id", std::to_string(state.agents(id).ids[agent])}, {"members", std::move(members)}};
}

} // namespace

std::string inspected(const Setup& setup, const Look& at, const StateView& state) {
    constexpr std::size_t most_agents = 50;
    const auto& places = setup.collections[require_collection(setup, at.places, {})];
    const auto number = (at.plane * places.size[1] + at.y) * places.size[0] + at.x;
    auto members = Json::array(), agents = Json::array();
    for (const auto& member : setup.row_of(places).members) {
        const auto column = require_column(setup, {{places.name, member.name}, {}});
        members.push_back(member_json(member, [&](int e) { return state.values(column, e, {number, number + 1}); }));
    }
    std::size_t more = 0;
    for (const auto id : agents_in(setup)) {
        if (setup.collections[setup.collections[id].agents->ground].name != at.places) continue;
        const auto& stands_on = state.agents(id).places;
        for (std::size_t i = 0; i < stands_on.size(); ++i) {
            if (stands_on[i] != number) continue;
            if (agents.size() < most_agents)
                agents.push_back(agent_json(setup, id, i, state));
            else
                ++more;
        }
    }
    const Json told{{"places", at.places}, {"x", at.x},        {"y", at.y},   {"z", at.plane},
                    {"members", members},  {"agents", agents}, {"more", more}};
    return Json{{"place", told}}.dump(-1, ' ', false, Json::error_handler_t::replace);
}

} // namespace tessera::viewer
