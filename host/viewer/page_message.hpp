// What stands in a message of a page, which anybody may have written who knows the token.
#pragma once

#include "host/edits/requests.hpp"
#include "host/viewer/look.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>
#include <string>

namespace tessera::viewer {

// What has another type, or is not there, is empty.
[[nodiscard]] std::string text_of(const nlohmann::json& message, const char* key);
[[nodiscard]] std::int64_t number_of(const nlohmann::json& message, const char* key, std::int64_t otherwise = 0);
[[nodiscard]] std::optional<double> end_of(const nlohmann::json& message, const char* key); // of a range: a finite number

// "grass.countdown" -> {"grass", "countdown"}.
[[nodiscard]] Look look_of(const nlohmann::json& message);
// {"do":"paint", ...}: what its numbers mean is checked where it is painted. Throws Failure::input where one of them is no whole number.
[[nodiscard]] Stroke stroke_of(const nlohmann::json& message);

} // namespace tessera::viewer
