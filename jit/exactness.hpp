// What makes a compiler's arithmetic exact, and whether it is.
#pragma once

#include "jit/host_compiler.hpp"

#include <string>
#include <vector>

namespace tessera::jit {

class Cache;

// Options that undo, behind the user's own, those that change results (-ffast-math and its parts, a smaller type of an enumeration), that
// make something else than code (-flto), or that need a library which a model does not have (-fsanitize=address).
[[nodiscard]] std::vector<std::string> exact_options(HostCompiler::Family family);

// Compiles and runs a small program whose results are known, with the options of a model. Empty if it computes these; else what is wrong,
// as words that follow the compiler's name: "does not keep the sign of a zero". What its results say is kept in the cache, if there is
// one, by the compiler's identity. Throws what HostCompiler::compile throws, and Error (Failure::compile) where nothing that was compiled
// can be loaded.
[[nodiscard]] std::string why_not_exact(const HostCompiler& compiler, Cache* cache);

} // namespace tessera::jit
