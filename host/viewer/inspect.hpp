// What stands at a place of a state: its members, and the agents on it.
#pragma once

#include "host/outputs/state_view.hpp"
#include "host/viewer/look.hpp"

#include <string>

namespace tessera::viewer {

// {"place": ...} of place (x, y) in the plane of the look.
[[nodiscard]] std::string inspected(const Setup& setup, const Look& at, const StateView& state);

} // namespace tessera::viewer
