#include "host/bind/place_pairs.hpp"

#include <algorithm>
#include <cmath>

namespace tessera {

std::int64_t PlacePairs::count() const noexcept {
    if (is_halved || loops || !are_one) return numbers();
    const auto end = std::min(from.first + from.count, to.first + to.count);
    return numbers() - std::max<std::int64_t>(end - std::max(from.first, to.first), 0);
}

std::int64_t PlacePairs::numbers() const noexcept {
    if (is_halved) return from.count * (from.count - 1) / 2 + (loops ? from.count : 0);
    return from.count * to.count;
}

LinkEnds PlacePairs::pair(std::int64_t number) const noexcept {
    if (!is_halved) return {from.first + number / to.count, to.first + number % to.count};
    auto high = static_cast<std::int64_t>((1 + std::sqrt(1 + 8 * static_cast<double>(number))) / 2);
    while (high * (high - 1) / 2 > number) --high;
    while (high * (high + 1) / 2 <= number) ++high;
    const auto low = number - high * (high - 1) / 2;
    return {from.first + low, from.first + high - (loops ? 1 : 0)};
}

LinkEnds PlacePairs::draw(random_stream& stream) const {
    const auto source = stream.below(static_cast<std::uint32_t>(from.count));
    // Two places come in two orders, and a place with itself in one: a number more stands for that once again.
    auto other = stream.below(static_cast<std::uint32_t>(to.count + (is_halved && loops ? 1 : 0)));
    if (other == static_cast<std::uint32_t>(to.count)) other = source;
    return {from.first + source, to.first + other};
}

} // namespace tessera
