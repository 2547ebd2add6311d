// The order in which a model declares what its records are about, over all of its files.
#pragma once

#include "jit/source.hpp"
#include "jit/symbols.hpp"

#include <vector>

namespace tessera::model {

// The records among the symbols as a compiler reads the model: file by file where one includes the other, line by line, and those of one
// line by name. Compilers have an order of their own, each another one. A header that is included several times counts where it is included
// first.
[[nodiscard]] std::vector<jit::DataSymbol> in_order_of_declaration(std::vector<jit::DataSymbol> symbols, const jit::ModelSource& source);

} // namespace tessera::model
