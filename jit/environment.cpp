#include "jit/environment.hpp"

#include <cstdlib>

namespace tessera::jit {

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value == nullptr ? std::string() : value;
}

} // namespace tessera::jit
