// Times as run files and options have them.
#pragma once

#include <optional>
#include <string>

namespace tessera::run_file {

inline constexpr const char* durations = "a time, as in \"30 s\", \"10 min\" or \"2 h\"";

// "90 s", "10 min", "1.5 h": seconds, above 0 and at most a million; nothing for other text.
[[nodiscard]] std::optional<double> read_duration(const std::string& text);

// "100us", "1.5ms": seconds, at most one; nothing for other text.
[[nodiscard]] std::optional<double> read_latency(const std::string& text);

} // namespace tessera::run_file
