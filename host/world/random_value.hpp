// One draw of a random initial value of the run file.
#pragma once

#include "device_runtime/scalar.hpp"
#include "host/run_file/first_values.hpp"

#include <tessera/random.hpp>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

namespace tessera {

// The largest value of T below `high`, which is taken as a value of T; `high` is no number's least.
template<class T> T largest_below(double high) { return std::nextafter(static_cast<T>(high), -std::numeric_limits<T>::infinity()); }

// In [low, high): where the sum is rounded up to `high`, the largest number below it.
inline double draw(const run_file::Uniform& u, random_stream& stream) {
    const double part = stream.uniform64(), range = u.high - u.low;
    const double drawn = std::isinf(range) ? 2 * (u.low / 2 + part * (u.high / 2 - u.low / 2)) : u.low + part * range;
    return std::min(drawn, largest_below<double>(u.high));
}
inline double draw(const run_file::Bernoulli& b, random_stream& stream) { return stream.uniform64() < b.p ? 1.0 : 0.0; }
inline double draw(const run_file::Below& b, random_stream& stream) {
    return static_cast<double>(b.plus + stream.below(static_cast<std::uint32_t>(b.n)));
}
inline double draw(const run_file::Normal& n, random_stream& stream) { return n.mean + n.deviation * static_cast<double>(stream.normal()); }

// What is drawn as a value of the type: rounded down for an integer, to the nearest for a float, and no less and no more than it holds.
template<class T> T drawn_value(double value) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(std::clamp<double>(value, std::numeric_limits<T>::lowest(), std::numeric_limits<T>::max()));
    else if constexpr (std::is_same_v<T, bool>)
        return value >= 1;
    else {
        constexpr double low = static_cast<double>(std::numeric_limits<T>::min()),
                         high = static_cast<double>(std::numeric_limits<T>::max());
        return value <= low    ? std::numeric_limits<T>::min()
               : value >= high ? std::numeric_limits<T>::max()
                               : static_cast<T>(std::floor(value));
    }
}

// A number just below `high` may have been rounded to it.
template<class T> T kept_below(const run_file::Uniform& u, T value) {
    if constexpr (std::is_floating_point_v<T>) return std::min(value, largest_below<T>(u.high));
    return value;
}
template<class Source, class T> T kept_below(const Source&, T value) { return value; }

// Of a step that is random.
inline void put_random(const run_file::InitStep& step, Scalar type, random_stream& stream, std::byte* into) {
    std::visit(
        [&](const auto& source) {
            if constexpr (requires { draw(source, stream); })
                with_type(type, [&](auto kind) {
                    using T = decltype(kind);
                    kind = kept_below(source, drawn_value<T>(draw(source, stream)));
                    std::memcpy(into, &kind, sizeof(kind));
                });
        },
        step.source);
}

} // namespace tessera
