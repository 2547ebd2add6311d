// Which functions of a model draw random numbers.
#pragma once

#include "host/setup/setup.hpp"

#include <string>

namespace tessera {

// For the kernels (device_runtime/kernels/draws.hpp): says of each function whose text draws nothing that its kernels need not make first
// draws for several places at once. Where the text leaves it open, nothing is said; the numbers do not depend on it.
[[nodiscard]] std::string draws_source(const Setup& setup);

} // namespace tessera
