// The SDK's headers and the device kernels, as they were when this program was built: it compiles models wherever it is copied to.
#pragma once

#include "jit/host_compiler.hpp"

#include <vector>

namespace tessera::jit {

// Named as models include them: "tessera/model.hpp", "tessera/kernels/launch/grid.hpp". Lives until the process ends.
[[nodiscard]] const std::vector<Header>& sdk_headers();

} // namespace tessera::jit
