// A condition that somebody gives while a run goes on.
#pragma once

#include "host/run_file/expression.hpp"
#include "host/run_file/where.hpp"
#include "host/setup/setup.hpp"

#include <string>

namespace tessera {

// What `stop` of a run file of this model takes, for StateView::evaluate. `from` is how messages call where it comes from: "in the page".
// Throws Failure::usage, as the run file does, for what is no condition, and for names that there are not.
[[nodiscard]] run_file::Located<expression::Expression> condition_of(const Setup& setup, const std::string& text, const std::string& from);

} // namespace tessera
