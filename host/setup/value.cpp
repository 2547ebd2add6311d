#include "host/setup/value.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tessera {
namespace {

bool is_whole(double value) { return std::trunc(value) == value && std::abs(value) < 1e15; }

std::string as_text(const run_file::Number& number) {
    if (const auto* real = std::get_if<double>(&number); real != nullptr && is_whole(*real))
        return fmt::format("{:.1f}", *real); // 1.0, as it was written
    return std::visit([](auto value) { return fmt::format("{}", value); }, number);
}

std::string what_to_write(const run_file::Number& number, Scalar type) {
    const auto* real = std::get_if<double>(&number);
    if (real == nullptr || type == Scalar::f32 || type == Scalar::f64) return "write a number that the type holds";
    return is_whole(*real) ? fmt::format("write a whole number without a point: {:.0f}", *real) : "write a whole number";
}

template<class T> std::vector<std::byte> bytes_of_value(T value) {
    std::vector<std::byte> bytes(sizeof(T));
    std::memcpy(bytes.data(), &value, sizeof(T));
    return bytes;
}

// The value as a T, if it is one.
template<class T> bool fits(const run_file::Number& number, T& result) {
    if (const auto* truth = std::get_if<bool>(&number)) {
        result = static_cast<T>(*truth);
        return true;
    }
    if (const auto* whole = std::get_if<std::int64_t>(&number)) {
        if constexpr (std::is_same_v<T, bool>) {
            result = *whole != 0;
            return *whole == 0 || *whole == 1;
        } else if constexpr (std::is_integral_v<T>) {
            result = static_cast<T>(*whole);
            return static_cast<std::int64_t>(result) == *whole && (std::is_signed_v<T> || *whole >= 0);
        } else {
            result = static_cast<T>(*whole);
            return true;
        }
    }
    if constexpr (std::is_floating_point_v<T>) {
        const double value = std::get<double>(number);
        result = static_cast<T>(value);
        return std::isfinite(result) || !std::isfinite(value);
    }
    return false;
}

// What a type holds.
struct Bounds {
    double low, end;             // uniform numbers between them, rounded down, are values of the type
    double last_integer;         // it holds 0, 1, ... up to this
    std::string lowest, highest; // as people read them
};

Bounds bounds_of(Scalar type) {
    return with_type(type, [](auto kind) -> Bounds {
        using T = decltype(kind);
        using Limits = std::numeric_limits<T>;
        const double past_digits = std::ldexp(1.0, Limits::digits);
        const auto text = [](T value) { return fmt::format("{}", value); };
        if constexpr (std::is_floating_point_v<T>)
            return {Limits::lowest(), Limits::max(), past_digits, text(Limits::lowest()), text(Limits::max())};
        else if constexpr (std::is_same_v<T, bool>)
            return {0, 2, 1, "0", "1"};
        else
            return {static_cast<double>(Limits::min()), past_digits, past_digits - 1, text(Limits::min()), text(Limits::max())};
    });
}

} // namespace

std::vector<std::byte> value_bytes(const run_file::Number& number, Scalar type, const run_file::Where& where, const std::string& what) {
    return with_type(type, [&](auto kind) {
        decltype(kind) value{};
        if (!fits(number, value))
            run_file::fail_at(where, fmt::format("{} cannot be {}", what, as_text(number)), fmt::format("its type is {}", name_of(type)),
                              what_to_write(number, type));
        return bytes_of_value(value);
    });
}

std::vector<std::byte> constant_bytes(const run_file::Constant& constant, Scalar type, int elements, const run_file::Where& where,
                                      const std::string& what) {
    const auto given = static_cast<int>(constant.numbers.size());
    if (constant.is_array && given != elements)
        run_file::fail_at(where, fmt::format("{} values for {}", given, what), fmt::format("it has {}", elements),
                          "give one number for each, or one for all");
    std::vector<std::byte> bytes;
    for (int e = 0; e < elements; ++e) {
        const auto& number = constant.numbers[constant.is_array ? static_cast<std::size_t>(e) : 0];
        const auto one = value_bytes(*number, type, number.where, what);
        bytes.insert(bytes.end(), one.begin(), one.end());
    }
    return bytes;
}

std::string as_source(Scalar type, const std::byte* bytes) {
    return with_type(type, [&](auto kind) -> std::string {
        using T = decltype(kind);
        T value;
        std::memcpy(&value, bytes, sizeof(T));
        if constexpr (std::is_same_v<T, bool>)
            return value ? "true" : "false";
        else if constexpr (std::is_floating_point_v<T>) {
            const char* cpp = std::is_same_v<T, float> ? "float" : "double";
            if (std::isnan(value))
                return fmt::format("__builtin_bit_cast({}, {})", cpp, std::is_same_v<T, float> ? "0x7fc00000" : "0x7ff8000000000000");
            if (std::isinf(value))
                return fmt::format("__builtin_bit_cast({}, {})", cpp,
                                   std::is_same_v<T, float> ? (value > 0 ? "0x7f800000" : "0xff800000")
                                                            : (value > 0 ? "0x7ff0000000000000" : "0xfff0000000000000"));
            return fmt::format("static_cast<{}>({:a})", cpp, value);
        } else if constexpr (std::is_signed_v<T>) {
            if (value == std::numeric_limits<T>::min())
                return fmt::format("static_cast<std::{}_t>({}l - 1)", name_of(type), static_cast<std::int64_t>(value) + 1);
            return fmt::format("static_cast<std::{}_t>({}l)", name_of(type), static_cast<std::int64_t>(value));
        } else
            return fmt::format("static_cast<std::{}_t>({}ul)", name_of(type), static_cast<std::uint64_t>(value));
    });
}

std::string readable(Scalar type, const std::byte* values, int elements) {
    std::string text;
    for (int e = 0; e < elements; ++e)
        text += with_type(type, [&](auto kind) {
            std::memcpy(&kind, values + static_cast<std::size_t>(e) * sizeof(kind), sizeof(kind));
            return (e == 0 ? "" : ", ") + fmt::format("{}", kind);
        });
    return elements == 1 ? text : "[" + text + "]";
}

std::string readable(Scalar type, double value) {
    return type == Scalar::f32 ? fmt::format("{}", static_cast<float>(value)) : fmt::format("{}", value);
}

bool lies_within(Scalar type, const std::byte* bytes, double low, double high) {
    return with_type(type, [&](auto value) {
        using T = decltype(value);
        std::memcpy(&value, bytes, sizeof(T));
        if constexpr (std::is_floating_point_v<T>)
            return value >= static_cast<T>(low) && value <= static_cast<T>(high);
        else
            return static_cast<long double>(value) >= low && static_cast<long double>(value) <= high; // holds 64 bits
    });
}

void check_random(const run_file::InitStep& step, Scalar type, const run_file::Where& where, const std::string& what) {
    const auto bounds = bounds_of(type);
    if (const auto* uniform = std::get_if<run_file::Uniform>(&step.source)) {
        const auto refused = fmt::format("{} cannot be random from {} to {}", what, uniform->low, uniform->high);
        if (uniform->low < bounds.low || uniform->high > bounds.end)
            run_file::fail_at(where, refused,
                              fmt::format("its type is {}, which holds {} to {}", name_of(type), bounds.lowest, bounds.highest),
                              "choose `low` and `high` within that");
        if (type == Scalar::f32 && static_cast<float>(uniform->low) >= static_cast<float>(uniform->high))
            run_file::fail_at(where, refused, "its type is float, for which both are the same number", "choose a larger `high`");
    }
    if (const auto* below = std::get_if<run_file::Below>(&step.source)) {
        constexpr std::int64_t most = 0xffffffff;
        if (below->n > most)
            run_file::fail_at(where, fmt::format("{} cannot be random below {}", what, below->n),
                              fmt::format("random integers have 32 bits: n is at most {}", most),
                              "use a smaller `n`, or random = \"uniform\"");
        const auto first = static_cast<double>(below->plus), last = static_cast<double>(below->plus + below->n - 1);
        if (first < bounds.low || last > bounds.last_integer)
            run_file::fail_at(where,
                              below->plus == 0 ? fmt::format("{} cannot be random below {}", what, below->n)
                                               : fmt::format("{} cannot be random from {:.0f} to {:.0f}", what, first, last),
                              below->plus == 0
                                  ? fmt::format("its type is {}, which holds integers to {:.0f}", name_of(type), bounds.last_integer)
                                  : fmt::format("its type is {}, which holds {} to {}", name_of(type), bounds.lowest, bounds.highest),
                              below->plus == 0 ? "use a smaller `n`" : "use another `n` or `plus`");
    }
}

} // namespace tessera
