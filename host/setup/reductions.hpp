// What expressions of reductions are made of, known before they are evaluated.
#pragma once

#include "host/setup/setup.hpp"

namespace tessera {

// A truth counts as 0 or 1; a whole number has 64 bits with a sign; a real one is a double. In this order: what is joined is the later one.
enum class NumberKind { truth, whole, real };

// Of a node of an expression that check_expression lets pass.
[[nodiscard]] NumberKind kind_of(const Setup& setup, const expression::Expression& expression, int node);

} // namespace tessera
