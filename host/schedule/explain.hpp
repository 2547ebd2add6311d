// What `tessera check --explain` says: which steps of a run can be made several at a time, how, and what stands against it.
#pragma once

#include "host/setup/setup.hpp"
#include "jit/compiler.hpp"

#include <string>

namespace tessera {

// Some lines of text about the run, and some about each collection. Nothing is run and no device is asked; functions that may be made for
// 32 places at once are compiled so for `target`, for their bodies decide. Throws what the compiler throws for other reasons than the
// model.
[[nodiscard]] std::string explain_steps(const Setup& setup, const jit::Target& target, jit::Compiler& compiler);

} // namespace tessera
