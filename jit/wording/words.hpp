// Names as messages show them.
#pragma once

#include <string>
#include <vector>

namespace tessera::jit {

// " did you mean heat?", of the nearest of the names; empty if none is near.
[[nodiscard]] std::string did_you_mean(const std::string& wrong, const std::vector<std::string>& names);
[[nodiscard]] std::string list_of(const std::vector<std::string>& names); // "a, b"
[[nodiscard]] std::string without_model_namespace(std::string text);      // "tessera_model::Cell" -> "Cell"

} // namespace tessera::jit
