#include "host/viewer/agent_json.hpp"

#include "host/setup/names.hpp"
#include "host/setup/value.hpp"

#include <nlohmann/json.hpp>

#include <cstring>
#include <string>
#include <vector>

namespace tessera::viewer {

nlohmann::ordered_json member_json(const model::Member& member, const std::function<const std::byte*(int element)>& value) {
    const auto bytes = size_of(member.type);
    std::vector<std::byte> elements(bytes * static_cast<std::size_t>(member.elements));
    for (int e = 0; e < member.elements; ++e) std::memcpy(elements.data() + static_cast<std::size_t>(e) * bytes, value(e), bytes);
    return nlohmann::ordered_json::array({member.name, readable(member.type, elements.data(), member.elements)});
}

nlohmann::ordered_json agent_json(const Setup& setup, CollectionId agents, std::size_t agent, const StateView& state) {
    const auto& collection = setup.collections[agents];
    auto members = nlohmann::ordered_json::array();
    for (const auto& member : setup.row_of(collection).members) {
        const auto column = require_column(setup, {{collection.name, member.name}, {}});
        members.push_back(member_json(member, [&](int e) { return state.agent_values(column, e) + agent * size_of(member.type); }));
    }
    return {{"collection", collection.name}, {"id", std::to_string(state.agents(agents).ids[agent])}, {"members", std::move(members)}};
}

} // namespace tessera::viewer
