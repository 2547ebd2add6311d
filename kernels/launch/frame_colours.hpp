// The colours of values in a frame, and words that numbers are compared by.
#pragma once

#include <tessera/kernels/launch/frame_arguments.hpp>

namespace tessera {

template<class T> inline constexpr bool frame_is_real = T(1) / 2 != T(0);
template<class T> inline constexpr bool frame_is_wide = frame_is_real<T> || sizeof(T) == 8;

template<class T> TESSERA_FN bool frame_is_number(T value) {
    if constexpr (frame_is_real<T>)
        return value - value == 0;
    else
        return true;
}

// The number of a category's colour: 0 for 0, and 1 to 255 again and again for others.
TESSERA_FN std::uint8_t frame_category(double value) {
    constexpr double most = 9e18;
    if (!frame_is_number(value)) return frame_no_number;
    auto whole = static_cast<std::int64_t>(value < -most ? -most : value > most ? most : value);
    whole -= static_cast<double>(whole) > value;
    if (whole == 0) return 0;
    const std::int64_t turn = (whole - 1) % 255;
    return static_cast<std::uint8_t>(1 + (turn < 0 ? turn + 255 : turn));
}

// A value as a whole number of 4096ths of a step: so many that 2^32 of them can be added up.
TESSERA_FN std::int64_t frame_share(double value, double low, double scale) {
    constexpr double far = 1 << 18;
    const double step = frame_step_of(value, low, scale), held = step < -far ? -far : step > far ? far : step;
    return static_cast<std::int32_t>(held * frame_shares_a_step + (held < 0 ? -0.5 : 0.5));
}

// An id as one that says nothing of when it came: what points are chosen by (after splitmix64).
TESSERA_FN std::uint64_t frame_mixed(std::uint64_t id) {
    id += 0x9e3779b97f4a7c15;
    id = (id ^ id >> 30) * 0xbf58476d1ce4e5b9;
    id = (id ^ id >> 27) * 0x94d049bb133111eb;
    return id ^ id >> 31;
}

} // namespace tessera
