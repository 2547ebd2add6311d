// SPDX-License-Identifier: Apache-2.0
// What a checked run (`tessera run --check`) looks at while the model runs: indices of arrays, what below(n) and bernoulli(p) are given,
// numbers that are none, what the author asserts. In any other run there is nothing of it.
#pragma once

#if defined(TESSERA_CHECKED)

#include <tessera/detail/noted_mistake.hpp>

namespace tessera {

// ---- arrays

// An index, and where it stands.
struct noted_index {
    std::int64_t value;
    text_place at;
    template<class T>
    TESSERA_FN constexpr noted_index(T i, text_place where = text_place::here()) : value(static_cast<std::int64_t>(i)), at(where) {}
};
constexpr int index_within(const noted_index& i, int elements) {
    if (i.value < 0 || i.value >= elements) {
        mistake_record found{};
        found.elements = elements;
        found.left.of = mistaken_value::whole;
        found.left.integer = i.value;
        leave_with(mistake::element, found, i.at);
    }
    return static_cast<int>(i.value);
}

// ---- what is asserted, and what is drawn

// A number as it is told; of what is none nothing is.
template<class T> TESSERA_FN constexpr mistaken_value value_to_tell(const T& value) {
    mistaken_value told{mistaken_value::none, {0}};
    if constexpr (__is_enum(T) || (!__is_class(T) && requires { value % value; })) {
        told.of = static_cast<T>(-1) < static_cast<T>(0) ? mistaken_value::whole : mistaken_value::natural;
        told.integer = static_cast<std::int64_t>(value);
    } else if constexpr (!__is_class(T) && requires { value / value; }) {
        told.of = mistaken_value::real;
        told.number = static_cast<double>(value);
    }
    return told;
}

// self.random.below(n), self.random.bernoulli(p)
inline void leave_with_draw(mistake what, const mistaken_value& given, const text_place& at) {
    mistake_record found{};
    found.left = given;
    leave_with(what, found, at);
}

// self.move_to(x, y, z), self.spawn(AGENT, {x, y, z})
template<class X, class Y, class Z>
TESSERA_FN void expect_somewhere(mistake what, const X& x, const Y& y, const Z& z, const text_place& at) {
    if (x != x || y != y || z != z) leave_with(what, mistake_record{}, at);
}
#define TESSERA_ASKED_HERE , text_place asked_at = text_place::here()
#define TESSERA_ASKED , asked_at
#define TESSERA_EXPECT_SOMEWHERE(what, x, y, z) expect_somewhere(what, x, y, z, asked_at)

// `asserted_left() <= a < b` is a comparison that knows its sides, for `<=` binds as closely as any comparison. It stands for what `a < b`
// is in every other respect.
struct asserted_comparison {
    bool holds;
    mistaken_value left, right;
    TESSERA_FN constexpr operator bool() const { return holds; }
};
template<class Left> struct asserted_side {
    const Left& left;
    TESSERA_FN constexpr explicit operator bool() const { return static_cast<bool>(left); }
#define TESSERA_ASSERTED_COMPARISON(op)                                                       \
    template<class Right> TESSERA_FN constexpr auto operator op(const Right& right) const {   \
        return asserted_comparison{left op right, value_to_tell(left), value_to_tell(right)}; \
    }
    TESSERA_ASSERTED_COMPARISON(==)
    TESSERA_ASSERTED_COMPARISON(!=)
    TESSERA_ASSERTED_COMPARISON(<)
    TESSERA_ASSERTED_COMPARISON(<=)
    TESSERA_ASSERTED_COMPARISON(>)
    TESSERA_ASSERTED_COMPARISON(>=)
#undef TESSERA_ASSERTED_COMPARISON
    template<class Right> TESSERA_FN constexpr auto operator&(const Right& right) const { return left & right; }
    template<class Right> TESSERA_FN constexpr auto operator|(const Right& right) const { return left | right; }
    template<class Right> TESSERA_FN constexpr auto operator^(const Right& right) const { return left ^ right; }
};
struct asserted_left {
    template<class Left> TESSERA_FN constexpr auto operator<=(const Left& left) const { return asserted_side<Left>{left}; }
};

inline void leave_asserted(const char* text, const char* words, const mistaken_value& left, const mistaken_value& right,
                           const text_place& at) {
    mistake_record found{};
    found.text = text;
    found.words = words;
    found.left = left;
    found.right = right;
    leave_with(mistake::assertion, found, at);
}
template<class Condition>
TESSERA_FN constexpr void expect_asserted(const Condition& condition, const char* text, const char* words,
                                          text_place at = text_place::here()) {
    if (!static_cast<bool>(condition)) leave_asserted(text, words, {}, {}, at);
}
template<class Left>
TESSERA_FN constexpr void expect_asserted(const asserted_side<Left>& side, const char* text, const char* words,
                                          text_place at = text_place::here()) {
    if (!static_cast<bool>(side)) leave_asserted(text, words, value_to_tell(side.left), {}, at);
}
TESSERA_FN constexpr void expect_asserted(const asserted_comparison& comparison, const char* text, const char* words,
                                          text_place at = text_place::here()) {
    if (!comparison.holds) leave_asserted(text, words, comparison.left, comparison.right, at);
}

} // namespace tessera
#else
#define TESSERA_ASKED_HERE
#define TESSERA_ASKED
#define TESSERA_EXPECT_SOMEWHERE(what, x, y, z)
#endif
