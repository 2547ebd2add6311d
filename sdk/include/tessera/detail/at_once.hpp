// SPDX-License-Identifier: Apache-2.0
// Loops of which a CPU makes several iterations at once.
#pragma once

#include <tessera/detail/base.hpp>

// In front of a `for` of which no iteration depends on what another does. g++ makes vectors of these loops alone, since it gets some others
// wrong (docs/decisions/vectors-by-gcc.md). Objects and arrays of a body that is inlined are shared by the iterations that it takes
// together, so that there must be none but what it keeps in registers. clang finds out for itself which loops it can take.
#if TESSERA_GPU || defined(__clang__)
#define TESSERA_AT_ONCE
#define TESSERA_ADDING_AT_ONCE(...)
#else
#define TESSERA_AS_PRAGMA(...) _Pragma(#__VA_ARGS__)
#define TESSERA_AT_ONCE _Pragma("omp simd")
#define TESSERA_ADDING_AT_ONCE(...) TESSERA_AS_PRAGMA(omp simd reduction(+ : __VA_ARGS__)) // the iterations add to these alone
#endif
