#include "host/array.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <new>
#include <utility>

#include <unistd.h>

namespace tessera {
namespace {

template<class To, class From> bool fits(From value) noexcept {
    if constexpr (std::is_same_v<To, bool>) {
        return value == From{0} || value == From{1};
    } else if constexpr (std::is_floating_point_v<To>) {
        if constexpr (std::is_floating_point_v<From>)
            return !std::isfinite(value) || std::isfinite(static_cast<To>(value));
        else
            return true;
    } else if constexpr (std::is_floating_point_v<From>) {
        // The bounds are powers of two, so they are exact in every floating type.
        const From end = std::ldexp(From{1}, std::numeric_limits<To>::digits);
        const From begin = std::is_signed_v<To> ? -end : From{0};
        return value >= begin && value < end && std::trunc(value) == value;
    } else {
        return std::in_range<To>(value);
    }
}

template<class To, class From>
void convert(const From* values, To* results, std::int64_t count, std::string_view name,
             const std::function<std::string(std::int64_t)>& position_of) {
    for (std::int64_t i = 0; i < count; ++i) {
        // std::in_range takes no bool
        const auto value = static_cast<std::conditional_t<std::is_same_v<From, bool>, unsigned char, From>>(values[i]);
        if (!fits<To>(value)) {
            throw Error(Failure::input,
                        fmt::format("{}: the value {} at {} does not fit a member of type {}", name, value, position_of(i),
                                    name_of(Array::scalar_of<To>())),
                        std::is_same_v<To, bool>       ? "a bool takes 0 and 1"
                        : std::is_floating_point_v<To> ? "it is too large"
                                                       : fmt::format("whole numbers from {} to {} fit", std::numeric_limits<To>::min(),
                                                                     std::numeric_limits<To>::max()));
        }
        results[i] = static_cast<To>(value);
    }
}

std::uint64_t machine_memory() noexcept {
    const long pages = sysconf(_SC_PHYS_PAGES), page_bytes = sysconf(_SC_PAGESIZE);
    return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : ~std::uint64_t{0};
}

} // namespace

void Array::check_type(Scalar wanted) const {
    if (wanted != type) throw Error(Failure::internal, fmt::format("an array of {} was used as one of {}", name_of(type), name_of(wanted)));
    if (bytes.size() != static_cast<std::size_t>(count()) * size_of(type))
        throw Error(Failure::internal, fmt::format("an array of {} values has {} bytes", count(), bytes.size()));
}

double Array::as_double(std::int64_t index) const {
    return with_type(type, [&](auto zero) { return static_cast<double>(data<decltype(zero)>()[static_cast<std::size_t>(index)]); });
}

std::string ArrayShape::position(std::int64_t index) const {
    const std::int64_t x = index % size[0], y = index / size[0] % size[1], z = index / (size[0] * size[1]) % size[2];
    std::string text = fmt::format("(x {}", x);
    if (dimensions > 1) text += fmt::format(", y {}", y);
    if (dimensions > 2) text += fmt::format(", z {}", z);
    text += ")";
    if (elements > 1) text += fmt::format("[{}]", index / (size[0] * size[1] * size[2]));
    return text;
}

Array Array::converted(Scalar to, std::string_view name) const {
    if (to == type) return *this;
    Array result = make_array(to, size, dimensions, elements, name);
    check_type(type);
    convert_values(type, bytes.data(), to, result.bytes.data(), count(), name, [this](std::int64_t i) { return position(i); });
    return result;
}

void convert_values(Scalar from, const std::byte* values, Scalar to, std::byte* results, std::int64_t count, std::string_view name,
                    const std::function<std::string(std::int64_t)>& position_of) {
    with_type(from, [&](auto from_zero) {
        with_type(to, [&](auto to_zero) {
            convert(reinterpret_cast<const decltype(from_zero)*>(values), reinterpret_cast<decltype(to_zero)*>(results), count, name,
                    position_of);
        });
    });
}

Array make_array(Scalar type, std::array<std::int64_t, 3> size, int dimensions, int elements, std::string_view name) {
    std::uint64_t bytes = size_of(type);
    for (const std::int64_t extent : {size[0], size[1], size[2], std::int64_t{elements}}) {
        if (extent < 1) throw Error(Failure::input, fmt::format("{}: an array has an extent of {}", name, extent), "the minimum is 1");
        if (__builtin_mul_overflow(bytes, static_cast<std::uint64_t>(extent), &bytes) || bytes > std::uint64_t{1} << 62)
            throw Error(Failure::input, fmt::format("{}: an array of {} x {} x {} is too large", name, size[0], size[1], size[2]));
    }
    constexpr double gib = 1024.0 * 1024.0 * 1024.0;
    const auto too_much = [&] {
        return Error(Failure::memory,
                     fmt::format("{}: {} x {} x {} values need {:.1f} GiB of memory", name, size[0], size[1], size[2],
                                 static_cast<double>(bytes) / gib),
                     fmt::format("this machine has {:.1f} GiB", static_cast<double>(machine_memory()) / gib));
    };
    if (bytes > machine_memory()) throw too_much();
    Array array;
    array.type = type;
    array.size = size;
    array.elements = elements;
    array.dimensions = dimensions;
    try {
        array.bytes.resize(bytes);
    } catch (const std::bad_alloc&) {
        throw too_much();
    }
    return array;
}

Array make_array_of_any(Scalar type, std::array<std::int64_t, 3> size, int dimensions, int elements, std::string_view name) {
    if (size[0] * size[1] * size[2] != 0) return make_array(type, size, dimensions, elements, name);
    Array none;
    none.type = type;
    none.size = size;
    none.elements = elements;
    none.dimensions = dimensions;
    return none;
}

} // namespace tessera
