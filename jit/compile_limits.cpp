#include "jit/compile_limits.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <ratio>

namespace tessera::jit {

void refuse_as_stopped(const std::string& compiler, const std::string& why) {
    throw Error(Failure::compile, fmt::format("{} was stopped", compiler), why, "make the model smaller");
}

void refuse_as_too_slow(const std::string& compiler, const CompileLimits& limits) {
    const auto minutes = std::chrono::duration<double, std::ratio<60>>(limits.time).count();
    refuse_as_stopped(compiler, fmt::format("it had not ended after {:.3g} minutes", minutes));
}

} // namespace tessera::jit
