// Expressions of the run file against the model.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// Throws Failure::input, at the character, for a collection, a member or an element that is not there.
void check_expression(const Setup& setup, const run_file::Located<expression::Expression>& expression);

} // namespace tessera
