// SPDX-License-Identifier: Apache-2.0
// Access lists: what a function of places, or of agents, may read, write and do.
//
//     TESSERA_CALL(Cell, tick, around<moore, &Cell::alive>, writes<&Cell::alive>) { ... }
//     TESSERA_CALL(Ant, look, reads<&Ant::vision>, around<lines_of<6>, &Field::sugar>, counts<lines_of<6>, Ant>, moves<lines_of<6>>) { ...
//     }
//
// A function of agents names members of its own row and of the places that they stand on. Members are given as `&Row::member`, any number
// in an entry, and a member may stand in several entries. What is not in the list is not there: to name it is an error at the author's
// line. The engine decides by the list what to load, what needs two buffers, what to exchange and how many steps can be made at once, so a
// short list is a fast function.
#pragma once

#include <tessera/neighbourhood.hpp>
#include <tessera/space.hpp>

namespace tessera {

/// The place's own value, to be read. Costs a load. Also a value of the step that TESSERA_GLOBAL or TESSERA_UNIFORM declares, as in
/// reads<total>.
template<auto... Members> struct reads {};

/// The place's own value and the neighbours' values at these offsets, to be read, as they were before the phase. Costs a load with what
/// lies around it, and a second buffer where the same function writes the member. Refused: an offset of more than 255 places along an axis.
template<auto Neighbourhood, auto... Members> struct around {};

/// The place's own value, to be read and written: it keeps its value where it is not assigned. Costs a load and a store.
template<auto... Members> struct writes {};

/// The place's own value, to be written without being read: it starts as the member's default and is stored in any case. Costs a store.
template<auto... Members> struct sets {};

// ---- of functions of agents

/// Stands on one of the places, in TESSERA_AGENT(Ant, on<Field>, ...).
template<class Place> struct on {};

/// Members of the place that an agent stands on, to which any number of agents add: `self.place.smell += 1`. What one call adds is summed
/// first. The sums of all agents are then added, integers exactly and floating-point numbers in the order of ids. With reads<...> beside
/// it, the value before the phase can be read. Costs a load and a store; where several agents have room on a place, a pass over the places
/// as well.
///
/// Of places also along links, adds<out_links<Synapse>, &Neuron::input>: what `self.send` adds there (links.hpp). Costs a pass over the
/// places there.
template<auto... Members> struct adds {};

/// The same, to be lowered: `self.place.price.lower_to(x)`. It starts from the value there, and passes over what is no number.
template<auto... Members> struct least {};

/// The same, to be raised: `self.place.eaten.raise_to(true)`.
template<auto... Members> struct most {};

/// A type of agents as a value: `self.count(here, agents<Wolf>)`.
template<class Row> struct agents_type {};
template<class Row> inline constexpr agents_type<Row> agents{};

/// How many agents of these types stand on the places of the neighbourhood, and how many more would find room: `site.count(agents<Wolf>)`,
/// `site.free()`. Costs a byte a place and slot that is looked at.
template<auto Neighbourhood, class... Agents> struct counts {};

/// The agents on the places of the neighbourhood, one by one: `self.meet(moore, agents<Wolf>, visit)`. What is listed is what is seen of
/// them: members, as `&Wolf::energy`, or `agents<Wolf>` for their ids alone. As they were before the phase. Costs a byte a place and slot
/// that is looked at, and a load a member of each that is met; a second buffer where the same function writes the member.
///
/// Of agents in space also meets<within<R>, ...>: `self.meet(within<R>, agents<Bird>, visit)`. R is at most the width of a place. Costs a
/// load of the position of everybody in the places around, and what is said above of those who are so near.
template<auto Neighbourhood, auto... What> struct meets {};

/// It may ask for children of a type, at most so many in a call, on the places of the neighbourhood: `self.spawn(Wolf{.energy = 5})`. The
/// next `manageAll` of the children's type decides. Costs memory for as many children as may be asked for. Agents in space are born where
/// their parent is, or with spawns<Bird, within<R>> at most so far from there; those of a place at its centre.
template<class Row, auto Neighbourhood = here, int Most = 1> struct spawns {};

/// It may ask to go to a place of the neighbourhood: `self.migrate(...)`. The next `manageAll` of its type decides. In space it is
/// moves<within<R>> and `self.move_to(...)`: at most so far along each axis.
template<auto Neighbourhood> struct moves {};

/// moves<anywhere>: to any place of the grid, by `self.migrate_to(x, y)` as well as by `self.migrate(...)`.
struct anywhere_type {};
inline constexpr anywhere_type anywhere{};

/// It may ask to die: `self.kill()`. The next `manageAll` of its type carries it out.
struct dies {};

/// `reads<moved>`, `reads<refused>`: whether the last `manageAll` of its type moved it, or could not.
struct moved_type {};
struct refused_type {};
inline constexpr moved_type moved{};
inline constexpr refused_type refused{};

/// `reads<refused_births>`: how many of the children that it asked for were not born, `self.refused_births()`. Costs 4 bytes of memory an
/// agent. Each `manageAll` of the children's type has to be one of its own type as well, and the other way round, as
/// `manageAll = "*"` is.
struct refused_births_type {};
inline constexpr refused_births_type refused_births{};

} // namespace tessera
