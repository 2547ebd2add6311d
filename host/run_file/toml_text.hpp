// Names and texts as TOML writes them: nothing that a run file is made of goes into it in any other way.
#pragma once

#include <string>

namespace tessera::run_file {

// In quotes, with quotes, backslashes and control characters escaped. What is no UTF-8 cannot be written in TOML: such bytes become U+FFFD.
[[nodiscard]] std::string toml_text(const std::string& text);

// A key: bare where that is allowed, else in quotes.
[[nodiscard]] std::string toml_key(const std::string& name);

} // namespace tessera::run_file
