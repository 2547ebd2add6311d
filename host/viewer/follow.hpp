// An agent that a page follows.
#pragma once

#include "host/outputs/state_view.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace tessera::viewer {

struct Followed {
    std::string collection; // of the run
    std::uint64_t id = 0;
};

// Nothing where there are no such agents, or `id` is no number.
[[nodiscard]] std::optional<Followed> followed_of(const Setup& setup, const std::string& collection, const std::string& id);

// Where it is, in places from the grid's edge, and its members: {"followed": ...}. One that is dead is "gone".
struct Told {
    std::string json;
    bool is_gone = false;
};
[[nodiscard]] Told told_of(const Setup& setup, const Followed& followed, const StateView& state);

} // namespace tessera::viewer
