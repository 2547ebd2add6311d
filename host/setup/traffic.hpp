// What a step has to move between memory and processor.
#pragma once

#include "host/setup/setup.hpp"

#include <cstdint>

namespace tessera {

// Bytes: in all places, each member that the usual phases of a step read, and each that they write, once.
[[nodiscard]] std::int64_t bytes_a_step(const Setup& setup);

// Of all collections.
[[nodiscard]] std::int64_t places_of(const Setup& setup);

} // namespace tessera
