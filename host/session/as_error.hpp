// Whatever was thrown, as it is told to the user.
#pragma once

#include "device_runtime/error.hpp"

#include <exception>

namespace tessera {

// An Error as it is; the system's want of memory as Failure::memory, all else as Failure::internal.
[[nodiscard]] Error as_error(const std::exception& thrown);

} // namespace tessera
