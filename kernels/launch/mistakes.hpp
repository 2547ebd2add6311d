// Undefined arithmetic in a checked run: the compiler's own instrumentation (UBSan's, by g++ and clang++ alike) with handlers that write
// down what was computed and leave the kernel. An image has these in place of the compiler's library.
//
// Of a mistake handlers are told the place in the text, the types, and the numbers: those of up to 64 bits as a word, others by address.
#pragma once

#include <tessera/detail/checks.hpp>

namespace tessera {

// What compilers write, by their interface (compiler-rt, lib/ubsan/ubsan_value.h).
struct ubsan_place {
    const char* file;
    std::uint32_t line, column;
    text_place shown() const { return {file, line, column}; }
};
struct ubsan_type {
    std::uint16_t kind; // 0: an integer, 1: a float
    std::uint16_t info; // of an integer the logarithm of its bits, and in bit 0 whether it is signed; of a float its bits
    char name[1];
};
struct ubsan_of_type {
    ubsan_place at;
    const ubsan_type* type;
};
struct ubsan_of_types {
    ubsan_place at;
    const ubsan_type *first, *second;
};

inline mistaken_value ubsan_value(const ubsan_type& type, std::uint64_t word) {
    mistaken_value value{mistaken_value::none, {0}};
    if (type.kind == 0) {
        const int bits = 1 << (type.info >> 1), unused = 64 - bits;
        if (bits > 64) return value;
        value.of = (type.info & 1) != 0 ? mistaken_value::whole : mistaken_value::natural;
        value.word = word << unused;
        if (value.of == mistaken_value::whole)
            value.integer >>= unused;
        else
            value.word >>= unused;
    } else if (type.kind == 1 && (type.info == 32 || type.info == 64)) {
        value.of = mistaken_value::real;
        value.number = type.info == 64 ? __builtin_bit_cast(double, word) : __builtin_bit_cast(float, static_cast<std::uint32_t>(word));
    }
    return value;
}

inline bool begins_with(const char* text, const char* start) {
    while (*start != 0 && *text == *start) ++text, ++start;
    return *start == 0;
}

[[noreturn]] inline void leave_with_values(mistake what, const ubsan_place& at, const ubsan_type& type, const mistaken_value& left,
                                           const mistaken_value& right = {}) {
    const bool is_integer = type.kind == 0;
    mistake_record found{};
    found.bits = is_integer ? static_cast<std::int16_t>(1 << (type.info >> 1)) : std::int16_t{0};
    found.is_signed = static_cast<std::int16_t>(type.info & 1);
    found.array = type.name;
    found.left = left;
    found.right = right;
    leave_with(what, found, at.shown());
}

} // namespace tessera

#define TESSERA_HANDLER(name, ...) extern "C" __attribute__((noinline)) void __ubsan_handle_##name(__VA_ARGS__)
#define TESSERA_ARITHMETIC_HANDLER(name, what)                                                                             \
    TESSERA_HANDLER(name, const tessera::ubsan_of_type* data, std::uint64_t left, std::uint64_t right) {                   \
        tessera::leave_with_values(tessera::mistake::what, data->at, *data->type, tessera::ubsan_value(*data->type, left), \
                                   tessera::ubsan_value(*data->type, right));                                              \
    }
TESSERA_ARITHMETIC_HANDLER(add_overflow_abort, addition)
TESSERA_ARITHMETIC_HANDLER(sub_overflow_abort, subtraction)
TESSERA_ARITHMETIC_HANDLER(mul_overflow_abort, multiplication)
TESSERA_ARITHMETIC_HANDLER(divrem_overflow_abort, division)
TESSERA_HANDLER(negate_overflow_abort, const tessera::ubsan_of_type* data, std::uint64_t value) {
    tessera::leave_with_values(tessera::mistake::negation, data->at, *data->type, tessera::ubsan_value(*data->type, value));
}
TESSERA_HANDLER(shift_out_of_bounds_abort, const tessera::ubsan_of_types* data, std::uint64_t left, std::uint64_t right) {
    tessera::leave_with_values(tessera::mistake::shift, data->at, *data->first, tessera::ubsan_value(*data->first, left),
                               tessera::ubsan_value(*data->second, right));
}
TESSERA_HANDLER(out_of_bounds_abort, const tessera::ubsan_of_types* data, std::uint64_t index) {
    tessera::leave_with_values(tessera::mistake::element, data->at, *data->first, tessera::ubsan_value(*data->second, index));
}
TESSERA_HANDLER(float_cast_overflow_abort, const tessera::ubsan_of_types* data, std::uint64_t value) {
    tessera::leave_with_values(tessera::mistake::conversion, data->at, *data->second, tessera::ubsan_value(*data->first, value));
}
// Of clang++ alone. What the SDK's own functions and what the host generates cut off they mean to, as random numbers do.
TESSERA_HANDLER(implicit_conversion, const tessera::ubsan_of_types* data, std::uint64_t from, std::uint64_t to) {
    if (!tessera::begins_with(data->at.file, "sdk/tessera/") && !tessera::begins_with(data->at.file, "tessera-"))
        tessera::leave_with_values(tessera::mistake::narrowing, data->at, *data->second, tessera::ubsan_value(*data->first, from),
                                   tessera::ubsan_value(*data->second, to));
}
TESSERA_HANDLER(builtin_unreachable, const tessera::ubsan_place* at) { tessera::leave_with(tessera::mistake::no_way, {}, at->shown()); }
TESSERA_HANDLER(missing_return, const tessera::ubsan_place* at) { tessera::leave_with(tessera::mistake::no_result, {}, at->shown()); }

// With -ftrapv g++ calls these for what its own optimisations add, which is looked at nowhere. Of its library they would end the process.
#if !defined(__clang__)
#define TESSERA_WRAPPING(name, T, U, op) \
    extern "C" T name(T a, T b) { return static_cast<T>(static_cast<U>(a) op static_cast<U>(b)); }
TESSERA_WRAPPING(__addvsi3, std::int32_t, std::uint32_t, +)
TESSERA_WRAPPING(__addvdi3, std::int64_t, std::uint64_t, +)
TESSERA_WRAPPING(__subvsi3, std::int32_t, std::uint32_t, -)
TESSERA_WRAPPING(__subvdi3, std::int64_t, std::uint64_t, -)
TESSERA_WRAPPING(__mulvsi3, std::int32_t, std::uint32_t, *)
TESSERA_WRAPPING(__mulvdi3, std::int64_t, std::uint64_t, *)
#undef TESSERA_WRAPPING
extern "C" std::int32_t __negvsi2(std::int32_t a) { return static_cast<std::int32_t>(-static_cast<std::uint32_t>(a)); }
extern "C" std::int64_t __negvdi2(std::int64_t a) { return static_cast<std::int64_t>(-static_cast<std::uint64_t>(a)); }
extern "C" std::int32_t __absvsi2(std::int32_t a) { return a < 0 ? __negvsi2(a) : a; }
extern "C" std::int64_t __absvdi2(std::int64_t a) { return a < 0 ? __negvdi2(a) : a; }
#endif

// By which the host finds it.
extern "C" __attribute__((visibility("default"))) tessera::mistake_record* tessera_mistake;
tessera::mistake_record* tessera_mistake = &tessera::noted_mistake;
