// Members of places and agents as a page is told of them.
#pragma once

#include "host/outputs/state_view.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstddef>
#include <functional>

namespace tessera::viewer {

// ["countdown", "1"]; `value(element)` is where a value of it stands.
[[nodiscard]] nlohmann::ordered_json member_json(const model::Member& member, const std::function<const std::byte*(int element)>& value);

// Of an agent, by its number in the order of ids: collection, id, members.
[[nodiscard]] nlohmann::ordered_json agent_json(const Setup& setup, CollectionId agents, std::size_t agent, const StateView& state);

} // namespace tessera::viewer
