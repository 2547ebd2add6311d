// SPDX-License-Identifier: Apache-2.0
// The preprocessor's part: doing something for each name of a list, and making names.
#pragma once

#define TESSERA_CAT_(a, b) a##b
#define TESSERA_CAT(a, b) TESSERA_CAT_(a, b)

// TESSERA_EACH(macro, data, a, b, c) is macro(data, a) macro(data, b) macro(data, c), for 356 names at least.
#define TESSERA_EACH(macro, data, ...) __VA_OPT__(TESSERA_EACH_1(macro, data, __VA_ARGS__))
#define TESSERA_EACH_1(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_2(macro, data, __VA_ARGS__))
#define TESSERA_EACH_2(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_3(macro, data, __VA_ARGS__))
#define TESSERA_EACH_3(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_4(macro, data, __VA_ARGS__))
#define TESSERA_EACH_4(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_5(macro, data, __VA_ARGS__))
#define TESSERA_EACH_5(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_6(macro, data, __VA_ARGS__))
#define TESSERA_EACH_6(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_7(macro, data, __VA_ARGS__))
#define TESSERA_EACH_7(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_8(macro, data, __VA_ARGS__))
#define TESSERA_EACH_8(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_9(macro, data, __VA_ARGS__))
#define TESSERA_EACH_9(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_10(macro, data, __VA_ARGS__))
#define TESSERA_EACH_10(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_11(macro, data, __VA_ARGS__))
#define TESSERA_EACH_11(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_12(macro, data, __VA_ARGS__))
#define TESSERA_EACH_12(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_13(macro, data, __VA_ARGS__))
#define TESSERA_EACH_13(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_14(macro, data, __VA_ARGS__))
#define TESSERA_EACH_14(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_15(macro, data, __VA_ARGS__))
#define TESSERA_EACH_15(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_16(macro, data, __VA_ARGS__))
#define TESSERA_EACH_16(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_EACH_OF_MANY(macro, data, __VA_ARGS__))

// The names behind these, 16 at a time, by recursion (David Mazieres, "Recursive macros with C++20 __VA_OPT__"): each time all that there
// is so far is scanned once more, however few names there are.
#define TESSERA_EACH_OF_MANY(macro, data, ...) TESSERA_SCAN(TESSERA_MANY_1(macro, data, __VA_ARGS__))
#define TESSERA_EACH_AGAIN() TESSERA_MANY_1
#define TESSERA_MANY_1(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_2(macro, data, __VA_ARGS__))
#define TESSERA_MANY_2(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_3(macro, data, __VA_ARGS__))
#define TESSERA_MANY_3(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_4(macro, data, __VA_ARGS__))
#define TESSERA_MANY_4(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_5(macro, data, __VA_ARGS__))
#define TESSERA_MANY_5(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_6(macro, data, __VA_ARGS__))
#define TESSERA_MANY_6(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_7(macro, data, __VA_ARGS__))
#define TESSERA_MANY_7(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_8(macro, data, __VA_ARGS__))
#define TESSERA_MANY_8(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_9(macro, data, __VA_ARGS__))
#define TESSERA_MANY_9(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_10(macro, data, __VA_ARGS__))
#define TESSERA_MANY_10(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_11(macro, data, __VA_ARGS__))
#define TESSERA_MANY_11(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_12(macro, data, __VA_ARGS__))
#define TESSERA_MANY_12(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_13(macro, data, __VA_ARGS__))
#define TESSERA_MANY_13(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_14(macro, data, __VA_ARGS__))
#define TESSERA_MANY_14(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_15(macro, data, __VA_ARGS__))
#define TESSERA_MANY_15(macro, data, first, ...) macro(data, first) __VA_OPT__(TESSERA_MANY_16(macro, data, __VA_ARGS__))
#define TESSERA_MANY_16(macro, data, first, ...) \
    macro(data, first) __VA_OPT__(TESSERA_EACH_AGAIN TESSERA_PARENTHESES(macro, data, __VA_ARGS__))
#define TESSERA_PARENTHESES ()
#define TESSERA_SCAN(...) TESSERA_SCAN2(TESSERA_SCAN2(TESSERA_SCAN2(TESSERA_SCAN2(__VA_ARGS__))))
#define TESSERA_SCAN2(...) TESSERA_SCAN1(TESSERA_SCAN1(TESSERA_SCAN1(TESSERA_SCAN1(__VA_ARGS__))))
#define TESSERA_SCAN1(...) __VA_ARGS__
