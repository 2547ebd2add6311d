#include "jit/said_once.hpp"

#include <spdlog/spdlog.h>

namespace tessera::jit {

void SaidOnce::warn(const std::string& text) {
    const std::lock_guard lock(guard_);
    if (said_.insert(text).second) spdlog::warn("{}", text);
}

} // namespace tessera::jit
