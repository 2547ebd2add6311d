// The kernels of a manageAll of links that are born and die, where they are compiled with the model (host/storage/link_kinds.hpp).
#pragma once

#include "host/setup/setup.hpp"

#include <string>

namespace tessera {

// Of each collection of such links what its kernels are told; nothing where there is none.
[[nodiscard]] std::string changing_links_source(const Setup& setup);

[[nodiscard]] std::string link_call_source(const Setup& setup, const KernelSetup& kernel);

} // namespace tessera
