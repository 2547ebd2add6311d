// What a checked run (`tessera run --check`) looks at while the model runs: where the running call is, indices of arrays, numbers that are
// none, what the author asserts. A mistake is written down, and the kernel is left by an instruction that the processor stops at. In any
// other run there is nothing of it.
#pragma once

#if defined(TESSERA_CHECKED)

#include <tessera/detail/mistake.hpp>

#if !defined(__clang__)
namespace std {
struct source_location { // what g++ says of a place in the text is of this type, which it knows by its name
    struct __impl {
        const char* _M_file_name;
        const char* _M_function_name;
        unsigned _M_line, _M_column;
    };
};
} // namespace std
#endif

namespace tessera {

inline mistake_record noted_mistake{};

// A place in the author's text: as a default argument, that of the call.
struct text_place {
    const char* file;
    unsigned line, column;

#if defined(__clang__)
    static constexpr text_place here(const char* file = __builtin_FILE(), unsigned line = __builtin_LINE(),
                                     unsigned column = __builtin_COLUMN()) {
        return {file, line, column};
    }
#else
    static constexpr text_place here(decltype(__builtin_source_location()) at = __builtin_source_location()) {
        const auto* const known = static_cast<const std::source_location::__impl*>(at);
        return {known->_M_file_name, known->_M_line, known->_M_column};
    }
#endif
};

[[noreturn]] inline void leave_with(mistake what, const text_place& at) {
    noted_mistake.what = what;
    noted_mistake.file = at.file;
    noted_mistake.line = at.line;
    noted_mistake.column = at.column;
    __builtin_trap();
}

// ---- the running call

struct noted_call {
    TESSERA_FN noted_call(std::int64_t x, std::int64_t y, std::int64_t z, std::uint64_t agent) {
        noted_mistake.place[0] = x;
        noted_mistake.place[1] = y;
        noted_mistake.place[2] = z;
        noted_mistake.agent = agent;
        noted_mistake.read_nan = 0;
        noted_mistake.in_call = 1;
    }
    TESSERA_FN ~noted_call() { noted_mistake.in_call = 0; }
    noted_call(const noted_call&) = delete;
    noted_call& operator=(const noted_call&) = delete;
};

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
        noted_mistake.array = nullptr;
        noted_mistake.elements = elements;
        noted_mistake.left.of = mistaken_value::whole;
        noted_mistake.left.integer = i.value;
        leave_with(mistake::element, i.at);
    }
    return static_cast<int>(i.value);
}

// ---- what is asserted

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

[[noreturn]] inline void leave_asserted(const char* text, const char* words, const mistaken_value& left, const mistaken_value& right,
                                        const text_place& at) {
    noted_mistake.text = text;
    noted_mistake.words = words;
    noted_mistake.left = left;
    noted_mistake.right = right;
    leave_with(mistake::assertion, at);
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
#endif
