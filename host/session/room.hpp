// The room of agents in lists, which grows with them while a run goes on (docs/decisions/agents-in-a-list.md). Code has it as a
// constant: with other room a run is bound, compiled and loaded again.
#pragma once

#include "host/bind/bind.hpp"
#include "host/world/outgrown_room.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace tessera {

// Whether there are lists in which children are born in steps.
[[nodiscard]] bool has_growing_lists(const Setup& setup);

// The same run, which is of that run file, with room for several times as many as are alive, of lists of which they take more than three
// quarters; nothing where none is so full. Throws Failure::input for what cannot be bound.
[[nodiscard]] std::optional<Bound> with_fitting_room(const Setup& setup, const run_file::RunFile& run,
                                                     const std::function<std::uint64_t(CollectionId)>& alive);

enum class Spare { ample, little };
// The same for those that have outgrown theirs; nothing where no list can hold so many.
[[nodiscard]] std::optional<Bound> with_more_room(const Setup& setup, const run_file::RunFile& run, const OutgrownRoom& outgrown,
                                                  Spare spare = Spare::ample);

// Those of the lists in which children are born, in steps or before the first.
[[nodiscard]] std::string rooms_text(const Setup& setup);

} // namespace tessera
