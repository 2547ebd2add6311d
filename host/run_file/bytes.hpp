// Amounts of memory as run files have them.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace tessera::run_file {

inline constexpr const char* amounts = "an amount of memory, as in \"64 MiB\" or \"2 GiB\"";

inline constexpr std::uint64_t default_output_memory = std::uint64_t{256} << 20; // Run::output_memory

// "512 KiB", "1.5 GiB": bytes, at most 2^50; nothing for other text.
[[nodiscard]] std::optional<std::uint64_t> read_bytes(const std::string& text);

// As read_bytes reads it, in the largest unit of which it is a whole number.
[[nodiscard]] std::string bytes_text(std::uint64_t bytes);

} // namespace tessera::run_file
