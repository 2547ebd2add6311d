// How far a compilation may go, whichever compiler makes it.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <string>

namespace tessera::jit {

struct CompileLimits {
    std::chrono::milliseconds time{std::chrono::minutes(5)};
    std::uint64_t memory = std::uint64_t{8} << 30; // bytes of address space, for each process of a compiler that is a program of its own
    const std::atomic<bool>* cancel = nullptr;     // where this becomes true, it is given up. Must outlive the call
};

// A compiler went beyond a limit. Throw Error (Failure::compile).
[[noreturn]] void refuse_as_stopped(const std::string& compiler, const std::string& why);
[[noreturn]] void refuse_as_too_slow(const std::string& compiler, const CompileLimits& limits);

} // namespace tessera::jit
