// Adds the condition `stop` to a setup as a question (host/setup/asked_stop.hpp).
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// With its kernels, to a setup that is bound, where there is a `stop` and no obstacle.
void add_stop_question(Setup& setup);

} // namespace tessera
