// Whether ids last for all births of a run: each has 24 bits for the manageAll in which its agent was born.
#pragma once

#include "host/setup/setup.hpp"

#include <string>
#include <vector>

namespace tessera {

// In words, for each collection of agents of which a run of so many steps may come to an end of ids. A `repeat` that may end sooner is
// counted as if it did not.
[[nodiscard]] std::vector<std::string> births_that_may_end(const Setup& setup);

} // namespace tessera
