// What a model does with the members of its rows, and what it takes for constants, looked at before a compiler is.
#pragma once

#include "jit/source.hpp"

namespace tessera::jit {

// Refuses a row of more members than the SDK can go through, a member's default that uses a parameter, a constant index that is beyond an
// array member, and a draw below a constant that is no number of values. Throws Error (Failure::compile) with path:line:column.
void check_members(const ModelSource& model);

} // namespace tessera::jit
