// SPDX-License-Identifier: Apache-2.0
// What an author takes for granted, and a checked run looks at.
#pragma once

#include <tessera/detail/checks.hpp>

// TESSERA_ASSERT(condition, "words"): in a checked run, `tessera run --check`, a condition that does not hold ends the run, which tells the
// words, the condition and its numbers, the place and the step. In any other run the condition is compiled and never evaluated, at no cost:
// it may not change anything, nor draw random numbers. One with a comma outside of parentheses is put into parentheses.
//
//     TESSERA_ASSERT(self.energy >= 0, "nobody lives on credit");
#if defined(TESSERA_CHECKED)
#define TESSERA_ASSERT(condition, words) tessera::expect_asserted(tessera::asserted_left() <= condition, #condition, "" words)
#else
#define TESSERA_ASSERT(condition, words) static_cast<void>(sizeof(!(condition)) + sizeof("" words))
#endif
