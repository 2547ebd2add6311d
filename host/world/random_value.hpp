// One draw of a random initial value of the run file.
#pragma once

#include "device_runtime/scalar.hpp"
#include "host/run_file/run_file.hpp"

#include <tessera/random.hpp>

#include <cmath>
#include <cstring>
#include <limits>
#include <type_traits>
#include <variant>

namespace tessera {

inline double draw(const run_file::Uniform& u, random_stream& stream) { return u.low + stream.uniform64() * (u.high - u.low); }
inline double draw(const run_file::Bernoulli& b, random_stream& stream) { return stream.uniform64() < b.p ? 1.0 : 0.0; }
inline double draw(const run_file::Below& b, random_stream& stream) {
    return static_cast<double>(b.plus + stream.below(static_cast<std::uint32_t>(b.n)));
}
inline double draw(const run_file::Normal& n, random_stream& stream) { return n.mean + n.deviation * static_cast<double>(stream.normal()); }

// What is drawn as a value of the type: rounded down, and no less and no more than it holds.
template<class T> T drawn_value(double value) {
    if constexpr (std::is_floating_point_v<T>)
        return static_cast<T>(value);
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

// Of a step that is random.
inline void put_random(const run_file::InitStep& step, Scalar type, random_stream& stream, std::byte* into) {
    std::visit(
        [&](const auto& source) {
            if constexpr (requires { draw(source, stream); })
                with_type(type, [&](auto kind) {
                    kind = drawn_value<decltype(kind)>(draw(source, stream));
                    std::memcpy(into, &kind, sizeof(kind));
                });
        },
        step.source);
}

} // namespace tessera
