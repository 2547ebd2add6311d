// Values and conditions that somebody gives while a run goes on, as a run file would have them. `from` is how messages call where they come
// from: "in the page".
#pragma once

#include "host/run_file/run_file.hpp"

#include <string>

namespace tessera::run_file {

// A number, or true or false, as TOML writes it. `name` is what messages call it. Throws as fail_at for what is none.
[[nodiscard]] Located<Number> given_number(const std::string& name, const std::string& text, const std::string& from);
// A parameter and its value.
[[nodiscard]] Named<Located<Number>> given_parameter(const std::string& name, const std::string& text, const std::string& from);
// What `stop` takes.
[[nodiscard]] Located<expression::Expression> given_condition(const std::string& text, const std::string& from);

// In place of the value that the run file gives that parameter, if it gives one.
void set_parameter(RunFile& run, const Named<Located<Number>>& given);

} // namespace tessera::run_file
