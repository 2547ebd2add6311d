// A program that could not be started for want of processes, memory or open files.
#pragma once

#include "device_runtime/error.hpp"

#include <string>
#include <system_error>

namespace tessera::jit {

// It is nobody's fault but the machine's: there is no use in trying another compiler.
class CannotStart : public Error {
public:
    CannotStart(const std::string& program, const std::error_code& why);
};

// Whether the system refused a process, memory or an open file.
[[nodiscard]] bool is_want(const std::error_code& code) noexcept;

// The same in what a compiler says of the programs that it starts itself; no error if there is none.
[[nodiscard]] std::error_code want_in(const std::string& log);

} // namespace tessera::jit
