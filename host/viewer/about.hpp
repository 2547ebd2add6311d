// What a page is told of a run once: its model, parameters, grids, agents, and what to look at first.
#pragma once

#include "host/session/current_run.hpp"
#include "host/viewer/look.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::viewer {

// The number of steps of a run in a page that nobody gave one: as large as a run file may say, and not shown.
inline constexpr std::uint64_t endless = 4294967295;
// The step after which a run ends, if that is known.
[[nodiscard]] std::optional<std::uint64_t> last_step_of(const Setup& setup);

// A member of places as it may be shown, with agents over it; or a member of agents.
struct Layer {
    std::string places, member, colours; // the name of a colour map
    int element = 0;
    std::optional<double> low, high; // of the colours; absent: fitted to what is there
    std::vector<std::string> agents;

    [[nodiscard]] std::string name() const { return places + "." + member; }
};

// First those that the run file draws, then all other members of places.
[[nodiscard]] std::vector<Layer> layers_of(const CurrentRun& run);

// Members of agents by whose values these may be coloured.
[[nodiscard]] std::vector<Layer> shades_of(const Setup& setup);

// The collections of agents, in the order in which frames number them.
[[nodiscard]] std::vector<CollectionId> agents_in(const Setup& setup);

// The texts {"about": ...} and {"parameters": ...} (docs/decisions/viewer.md).
[[nodiscard]] std::string about(const CurrentRun& run, const std::string& name);
[[nodiscard]] std::string parameters_of(const CurrentRun& run);

} // namespace tessera::viewer
