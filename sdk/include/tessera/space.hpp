// SPDX-License-Identifier: Apache-2.0
// Space in a place: agents `in<Air>` have a position of their own, and places are the bins that hold them.
//
//     TESSERA_AGENT(Bird, in<Air>, vx, vy);
//     TESSERA_CALL(Bird, fly, meets<within<5>, &Bird::vx>, writes<&Bird::vx>, moves<within<1>>) {
//         self.meet(within<5>, agents<Bird>, [&](const auto& other) { self.vx += 0.01f * other.away.x; });
//         self.move_to(self.position.x + self.vx, self.position.y);
//     }
//
// The run file gives the places an `extent`, in whatever unit the model takes: a position is from 0 to that along each axis.
#pragma once

#include <tessera/detail/offsets.hpp>

namespace tessera {

/// A position, or a way from one to another. z is 0 in two dimensions. `const auto [dx, dy, dz] = other.away;`
template<class T> struct space_point { T x, y, z; };

/// Stands in one of the places, anywhere: TESSERA_AGENT(Bird, in<Air>, ...). Positions are float; with in_double<Air> they are double.
template<class Place> struct in {};
template<class Place> struct in_double {};

/// What `within` takes: a number, or a parameter. (A class, for clang 14 takes no float as a template's argument.)
struct length {
    double value;
    constexpr length(int v) : value(v) {}
    constexpr length(float v) : value(v) {}
    constexpr length(double v) : value(v) {}
};

// As a neighbourhood, the places that hold all that is so near, for none of them is less wide: in the order of z, then y, then x, the place
// itself in its turn.
template<length R> struct within_type {
    static constexpr double radius = R.value;
    template<int Dims> static constexpr int count = Dims == 1 ? 3 : Dims == 2 ? 9 : 27;
    template<int Dims> static constexpr place_offset at(int i) {
        return {i % 3 - 1, Dims > 1 ? i / 3 % 3 - 1 : 0, Dims > 2 ? i / 9 - 1 : 0};
    }
};

/// All that is less than R away in a straight line, over the edge of a torus where that is shorter.
template<length R> inline constexpr within_type<R> within{};

} // namespace tessera
