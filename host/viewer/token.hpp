// The secret that opens a viewer.
#pragma once

#include <string>
#include <string_view>

namespace tessera::viewer {

// 128 bits of the system's random numbers, as 32 hexadecimal digits.
[[nodiscard]] std::string new_token();

// In a time that does not depend on where they differ.
[[nodiscard]] bool is_same_secret(std::string_view a, std::string_view b) noexcept;

} // namespace tessera::viewer
