#include "jit/said_once.hpp"

#include "jit/log.hpp"

namespace tessera::jit {

void SaidOnce::warn(const std::string& text) {
    const std::lock_guard lock(guard_);
    if (said_.insert(text).second) log_warning("{}", text);
}

} // namespace tessera::jit
