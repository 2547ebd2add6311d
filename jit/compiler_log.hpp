// What a compiler said, taken apart: the same structure for g++, clang and NVRTC.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace tessera::jit {

enum class Toolchain { gcc, clang, nvrtc };

struct Location {
    std::string file;
    int line = 0, column = 0; // from 1; 0 when the compiler does not say
};

struct CompilerMessage {
    Location at;
    std::string text;               // after "error: " or "warning: "; plain quotes, no names of warning options
    std::vector<std::string> notes; // what the compiler added
    std::vector<Location> trail;    // how it came there: instantiations and expansions, the innermost first
    bool is_warning = false;
};

// The errors and warnings of a log, in its order. What is no message is left out.
[[nodiscard]] std::vector<CompilerMessage> messages_in(std::string_view log, Toolchain toolchain);
// The errors alone.
[[nodiscard]] std::vector<CompilerMessage> errors_in(std::string_view log, Toolchain toolchain);

} // namespace tessera::jit
