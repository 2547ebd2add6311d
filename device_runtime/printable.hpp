// Text that came from users, as messages show it.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace tessera {

// Bytes that are no UTF-8, and what changes a terminal or the direction of writing, become `\x1b`; line ends and tabs stay.
[[nodiscard]] std::string printable(std::string_view text);

// The same in one line (`\x0a`), of which what is longer than `longest` bytes loses its middle.
[[nodiscard]] std::string shown(std::string_view text, std::size_t longest = 200);

// The text with U+FFFD for each byte that is no UTF-8.
[[nodiscard]] std::string valid_utf8(std::string_view text);

// The first and the last bytes of a long text, with ` ... ` in between; about `longest` of them.
[[nodiscard]] std::string without_middle(std::string_view text, std::size_t longest);

} // namespace tessera
