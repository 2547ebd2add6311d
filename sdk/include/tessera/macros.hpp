// The preprocessor's part: doing something for each name of a list, and making names.
#pragma once

#define TESSERA_CAT_(a, b) a##b
#define TESSERA_CAT(a, b) TESSERA_CAT_(a, b)

// TESSERA_EACH(macro, data, a, b, c) is macro(data, a) macro(data, b) macro(data, c), for up to 340 names
// (the recursion by __VA_OPT__ and rescanning is David Mazieres's, "Recursive macros with C++20 __VA_OPT__").
#define TESSERA_SCAN(...) TESSERA_SCAN4(TESSERA_SCAN4(TESSERA_SCAN4(TESSERA_SCAN4(__VA_ARGS__))))
#define TESSERA_SCAN4(...) TESSERA_SCAN3(TESSERA_SCAN3(TESSERA_SCAN3(TESSERA_SCAN3(__VA_ARGS__))))
#define TESSERA_SCAN3(...) TESSERA_SCAN2(TESSERA_SCAN2(TESSERA_SCAN2(TESSERA_SCAN2(__VA_ARGS__))))
#define TESSERA_SCAN2(...) TESSERA_SCAN1(TESSERA_SCAN1(TESSERA_SCAN1(TESSERA_SCAN1(__VA_ARGS__))))
#define TESSERA_SCAN1(...) __VA_ARGS__
#define TESSERA_PARENTHESES ()
#define TESSERA_EACH(macro, data, ...) __VA_OPT__(TESSERA_SCAN(TESSERA_EACH_STEP(macro, data, __VA_ARGS__)))
#define TESSERA_EACH_STEP(macro, data, first, ...) \
    macro(data, first) __VA_OPT__(TESSERA_EACH_AGAIN TESSERA_PARENTHESES(macro, data, __VA_ARGS__))
#define TESSERA_EACH_AGAIN() TESSERA_EACH_STEP
