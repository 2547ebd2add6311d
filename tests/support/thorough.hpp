// How much a run of the tests tries.
#pragma once

#include <cstdlib>

namespace tessera::test {

// Whether everything is to be tried that a test knows of, as `./test.sh --thorough` has it; else what it chooses of that.
inline bool thorough() { return std::getenv("TESSERA_TEST_THOROUGH") != nullptr; }

} // namespace tessera::test
