// SPDX-License-Identifier: Apache-2.0
// Choosing between two values without a jump.
#pragma once

#include <tessera/detail/base.hpp>

namespace tessera {

/// `mask ? a : b`, for one place as for 32 at once (docs/sdk.md, "Packed places"): both are worked out.
template<class A, class B> TESSERA_FN constexpr auto select(bool mask, const A& a, const B& b) { return mask ? a : b; }

} // namespace tessera
