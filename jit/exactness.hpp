// What makes a compiler's arithmetic exact, and whether it is.
#pragma once

#include "jit/host_compiler.hpp"

#include <string>
#include <vector>

namespace tessera::jit {

class Cache;

// Options that undo, behind the user's own, those that change results (-ffast-math and its parts, a smaller type of an enumeration), that
// make something else than code (-flto), or that need a library which a model does not have (-fsanitize=address). And g++ makes vectors of
// those loops alone that ask for them, since it gets others wrong (docs/decisions/vectors-by-gcc.md).
[[nodiscard]] std::vector<std::string> exact_options(HostCompiler::Family family);

// Compiles and runs a small program whose results are known, with the options of a model. Empty if it computes these; else what is wrong,
// as words that follow the compiler's name: "does not keep the sign of a zero". What its results say is kept in the cache, if there is
// one, by the compiler's identity. Throws what HostCompiler::compile throws, and Error (Failure::compile) where nothing that was compiled
// can be loaded. `more`: options besides those of a model.
[[nodiscard]] std::string why_not_exact(const HostCompiler& compiler, Cache* cache, const std::vector<std::string>& more = {});

// What it says of a compiler that lets places share the arrays of a body, where it takes several places together.
inline constexpr const char* mixes_up_arrays = "mixes up the arrays of places that it takes together";

} // namespace tessera::jit
