// SPDX-License-Identifier: Apache-2.0
// Which places a place can see: offsets, which are constants, and lists of them.
//
//     around<moore, &Cell::alive>        in an access list
//     self.sum(moore, &Cell::alive)      in a function
//     self.at(offset<-1, 2>).alive
//
// x runs fastest; y grows downward in pictures, as in the files that are read. Offsets are visited in the order of their list, always.
#pragma once

#include <tessera/detail/offsets.hpp>

namespace tessera {

/// The place that is X further along x, Y along y, Z along z.
template<int X, int Y = 0, int Z = 0> inline constexpr offset_type<X, Y, Z> offset{};

inline constexpr offset_type<-1, 0, 0> west{};  ///< x - 1: to the left in pictures
inline constexpr offset_type<1, 0, 0> east{};   ///< x + 1: to the right
inline constexpr offset_type<0, -1, 0> north{}; ///< y - 1: up in pictures
inline constexpr offset_type<0, 1, 0> south{};  ///< y + 1: down
inline constexpr offset_type<0, 0, -1> above{}; ///< z - 1: toward the plane z = 0, which is the top one
inline constexpr offset_type<0, 0, 1> below{};  ///< z + 1: away from it

/// The place itself, as a neighbourhood of one.
inline constexpr offset_type<0, 0, 0> here{};

/// A list of one's own, in the order given: `offsets<west, east, offset<2, 0>>`. The place itself may be in it.
template<auto... Offsets> inline constexpr offset_list<decltype(Offsets)...> offsets{};

/// All places at most one away in each direction: 8 neighbours in two dimensions, 26 in three, 2 in one. Like the others below, in the
/// order of z, then y, then x, ascending, and without the place itself.
inline constexpr ball<1, false> moore{};

/// The places that share an edge, or in three dimensions a face: 4 neighbours in two dimensions, 6 in three, 2 in one.
inline constexpr ball<1, true> von_neumann{};

/// All places at most Radius away in each direction, 1 to 16.
template<int Radius> inline constexpr ball<Radius, false> moore_of{};

/// All places at most Radius away in the sum of all directions, 1 to 16.
template<int Radius> inline constexpr ball<Radius, true> von_neumann_of{};

/// The places on the lines along the axes, at most Radius away, 1 to 255: the nearest first, those as far away in the order of z, y, x.
template<int Radius> inline constexpr lines<Radius> lines_of{};

/// The place itself, and then those of a neighbourhood: `with_here<moore>`.
template<auto Neighbourhood> inline constexpr with_centre<without_const<decltype(Neighbourhood)>> with_here{};

} // namespace tessera
