#include "host/inputs/parse_value.hpp"

#include "host/inputs/input_file.hpp"

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>

namespace tessera {
namespace {

std::string_view without_plus(std::string_view text) {
    if (text.size() > 1 && text[0] == '+' && text[1] != '-') text.remove_prefix(1);
    return text;
}

// All of the text, if it is a number in C's digits of a T.
template<class T> bool read_all(std::string_view text, T& value) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, value);
    return stop == end && error == std::errc{};
}

Parsed parse(std::string_view text, double number, bool& value) {
    (void)text;
    value = number == 1;
    return number == 0 || number == 1 ? Parsed::value : Parsed::not_held;
}

// A float is rounded once, and not to a double before: as few digits as read back to it are enough.
template<class T>
requires std::is_floating_point_v<T> Parsed parse(std::string_view text, double number, T& value) {
    if (!read_all(without_plus(text), value)) value = static_cast<T>(number); // too small, or too large
    return std::isfinite(value) || !std::isfinite(number) ? Parsed::value : Parsed::not_held;
}

// One that is written as an integer is exact, whatever doubles hold.
template<class T>
requires std::is_integral_v<T> Parsed parse(std::string_view text, double number, T& value) {
    if (read_all(without_plus(text), value)) return Parsed::value;
    const double past_digits = std::ldexp(1.0, std::numeric_limits<T>::digits);
    const double low = static_cast<double>(std::numeric_limits<T>::min());
    if (!(number >= low && number < past_digits) || std::trunc(number) != number) return Parsed::not_held;
    value = static_cast<T>(number);
    return Parsed::value;
}

} // namespace

Parsed parse_value(std::string_view text, Scalar type, std::byte* into) {
    auto number = parse_number(text);
    if (type == Scalar::boolean && (text == "true" || text == "True")) number = 1;
    if (type == Scalar::boolean && (text == "false" || text == "False")) number = 0;
    if (!number) return Parsed::no_number;
    return with_type(type, [&](auto value) {
        const auto parsed = parse(text, *number, value);
        if (parsed == Parsed::value) std::memcpy(into, &value, sizeof(value));
        return parsed;
    });
}

} // namespace tessera
