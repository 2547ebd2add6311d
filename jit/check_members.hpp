// What a model does with the members of its rows, and what it takes for constants, looked at before a compiler is.
#pragma once

#include "jit/source.hpp"

namespace tessera::jit {

// Refuses a row of more members than the SDK can go through, a member's default that uses a parameter, a constant index that is beyond an
// array member, a draw below a constant that is no number of values, a name of a value that is another number in the text, a member that is
// set and read before it is assigned, and a condition along links that changes something. Throws Error (Failure::compile) with
// path:line:column.
void check_members(const ModelSource& model);

} // namespace tessera::jit
