// What stands at a place of a state: its members, and the agents on it.
#pragma once

#include "host/outputs/state_view.hpp"
#include "host/viewer/follow.hpp"
#include "host/viewer/look.hpp"

#include <optional>
#include <string>

namespace tessera::viewer {

// {"place": ...} of place (x, y) in the plane of the look; an agent that was picked comes first of those that stand there.
[[nodiscard]] std::string inspected(const Setup& setup, const Look& at, const std::optional<Followed>& picked, const StateView& state);

} // namespace tessera::viewer
