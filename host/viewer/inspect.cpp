#include "host/viewer/inspect.hpp"

#include "host/setup/names.hpp"
#include "host/viewer/about.hpp"
#include "host/viewer/agent_json.hpp"

#include <nlohmann/json.hpp>

namespace tessera::viewer {

std::string inspected(const Setup& setup, const Look& at, const std::optional<Followed>& picked, const StateView& state) {
    constexpr std::size_t most_agents = 50;
    const auto& places = setup.collections[require_collection(setup, at.places, {})];
    const auto number = (at.plane * places.size[1] + at.y) * places.size[0] + at.x;
    auto members = nlohmann::ordered_json::array(), agents = nlohmann::ordered_json::array();
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
            if (picked && picked->collection == setup.collections[id].name && picked->id == state.agents(id).ids[i])
                agents.insert(agents.begin(), agent_json(setup, id, i, state));
            else if (agents.size() < most_agents)
                agents.push_back(agent_json(setup, id, i, state));
            else
                ++more;
        }
    }
    const nlohmann::ordered_json told{{"places", at.places}, {"x", at.x},        {"y", at.y},   {"z", at.plane},
                                      {"members", members},  {"agents", agents}, {"more", more}};
    return nlohmann::ordered_json{{"place", told}}.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

} // namespace tessera::viewer
