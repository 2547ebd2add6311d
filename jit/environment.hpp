// Variables of the environment.
#pragma once

#include <string>

namespace tessera::jit {

// Its value; empty also when there is none.
[[nodiscard]] std::string variable(const char* name);

} // namespace tessera::jit
