// Values as results hold them. Internal to host/outputs.
#pragma once

#include <cmath>
#include <limits>
#include <type_traits>

namespace tessera {

// NaN has one form.
template<class T> T canonical(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
    else
        return value;
}

} // namespace tessera
