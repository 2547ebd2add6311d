// What was sent along links and is not there yet: a column of it is in planes, for what is due in each of so many steps. On devices what is
// due in step s is in plane s modulo their number (kernels/places/sent.hpp); everywhere else by how many steps are left, whichever step it
// is.
#pragma once

#include "host/array.hpp"
#include "host/setup/setup.hpp"
#include "host/world/state_reader.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Of the state after `step` steps, from what devices have. `setup` must outlive it.
[[nodiscard]] StateReader by_steps_left(const Setup& setup, std::uint64_t step, StateReader read);

// For devices, of a column of what is under way.
[[nodiscard]] ArraySource as_devices_have_it(const ColumnSetup& column, std::uint64_t step, ArraySource values);

// What becomes of the member in so many steps if nothing else is sent: values of some places of `read`, which is by steps left; empty if
// all of them are 0.
[[nodiscard]] std::vector<std::byte> arriving(const Setup& setup, CollectionId places, const SentMember& sent, int steps_left,
                                              const PlaceRange& range, const StateReader& read);

} // namespace tessera
