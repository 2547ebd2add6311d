// The JSON that a page has sent.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace tessera::viewer {

inline constexpr int deepest_message = 8; // arrays and objects in one another

// An object, or null where the text is none or is nested deeper, which is found before anything of it is built.
[[nodiscard]] nlohmann::json read_message(const std::string& text);

} // namespace tessera::viewer
