// Access lists: what a function of places may read and write.
//
//     TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::alive>) { ... }
//
// Members are given as `&Row::member`, any number in an entry, and a member may stand in several entries. What is not in the list is not
// there: to name it is an error at the author's line. The engine decides by the list what to load, what needs two buffers, what to exchange
// and how many steps can be made at once, so a short list is a fast function.
#pragma once

#include <tessera/neighbourhood.hpp>

namespace tessera {

/// The place's own value, to be read. Costs a load.
template<auto... Members> struct reads {};

/// The place's own value and the neighbours' values at these offsets, to be read, as they were before the phase. Costs a load with what
/// lies around it, and a second buffer where the same function writes the member. Refused: an offset of more than 255 places along an axis.
template<auto Neighbourhood, auto... Members> struct around {};

/// The place's own value, to be read and written: it keeps its value where it is not assigned. Costs a load and a store.
template<auto... Members> struct writes {};

/// The place's own value, to be written without being read: it starts as the member's default and is stored in any case. Costs a store.
template<auto... Members> struct sets {};

} // namespace tessera
