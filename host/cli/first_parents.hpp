// Agents that the run file does not count, for functions have them as children before the first step.
#pragma once

#include "host/setup/setup.hpp"

#include <string>

namespace tessera {

// ", and those that `land.settle` makes"; empty where no init function has any.
[[nodiscard]] std::string first_parents(const Setup& setup, CollectionId agents);

} // namespace tessera
