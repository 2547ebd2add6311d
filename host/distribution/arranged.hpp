// A setup over the devices of a run. Nothing else gives it a distribution, and nothing changes it afterwards.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// The setup, as it was bound, made where the distribution says. Where partitions have memory of their own, frames become as wide as the
// steps from one exchange to the next need. Throws Failure::internal for a distribution that is not of this setup.
[[nodiscard]] Setup arranged(Setup setup, Distribution distribution);

} // namespace tessera
