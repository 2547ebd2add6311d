// SPDX-License-Identifier: Apache-2.0
// What a function of places works on: `self`, the place, and through it the neighbours.
//
//     TESSERA_CALL(Cell, spread, around<moore, &Cell::heat>, writes<&Cell::heat>) {
//         if (self.exists(west)) self.heat = max(self.heat, self.at(west).heat);
//     }
//
// `self` has the members of its row that the access list names: `self.heat`. One that the list only reads is const; one that it does not
// name is not there, and neither is a neighbour's that no around<...> names at that offset: the compiler says so at the author's line. An
// array member is a fixed_array: `self.flow[2]`; a constant index beyond it is refused, any other is the author's to keep within
// it, and is looked at in a checked run.
//
// There is one `self` in a call, and it cannot be copied, for what is written to a copy would be lost. A helper is a template that takes
// `Self& self`, or `const Self& self` if it writes nothing; a lambda captures `[&]`.
#pragma once

#include <tessera/detail/view.hpp>
#include <tessera/random.hpp>

namespace tessera {

/// Places are counted from 0: x runs fastest, y grows downward in pictures.
struct place_position {
    std::int64_t x, y, z;
};

template<class Function, class View> struct place : Function::row_members::template tessera_own<Function, View> {
    using tessera_members = typename Function::row_members;

    /// Where the place is: self.position.x, .y, .z, each std::int64_t; 0 on an axis that the grid does not have. Costs nothing unless used.
    const decltype(static_cast<const View*>(nullptr)->position()) position;

    /// The extents of the grid in places: self.size.x, .y, .z, each std::int64_t; 1 on an axis that it does not have. Constants.
    const place_position size;

    /// The number of the step that is being made, from 0. Signed, so that `self.step - 2 > 0` is what it looks like.
    const std::int64_t step;

    /// This place's random numbers in this call (random.hpp). Costs nothing until it is drawn from; cannot be copied.
    decltype(static_cast<const View*>(nullptr)->random()) random;

    /// The neighbour at a constant offset: `self.at(west).heat`, `self.at(offset<2, 0>).heat`. Has the members that the access list shows
    /// there, as they were before the phase; const. Beyond an open boundary these are the members' defaults. Costs a load for each member
    /// that is used.
    template<int X, int Y, int Z> TESSERA_FN auto at(offset_type<X, Y, Z> where) const {
        return neighbour<Function, offset_type<X, Y, Z>, View>(tessera_view_, where);
    }

    /// Whether there is a place at a constant offset: `self.exists(north)`. False only beyond an open boundary; costs nothing elsewhere.
    template<int X, int Y, int Z> TESSERA_FN bool exists(offset_type<X, Y, Z>) const { return tessera_view_.template exists<X, Y, Z>(); }

    /// Calls `visit(neighbour)` for each neighbour that exists, in the order of the list:
    /// `self.each(moore, [&](const auto& other) { most = max(most, other.heat); })`. A neighbour has the members that the access list
    /// shows at all of these offsets. Costs as much as the calls written out, one behind the other.
    template<class N, class Visitor> TESSERA_FN void each(N, Visitor&& visit) const {
        visit_all<Function, N>(tessera_view_, visit, indices_to<N::template count<View::dims>>{});
    }

    /// The sum of a member over the neighbours that exist, in the order of the list: `self.sum(moore, &Cell::alive)`. bool and integers of
    /// 8 and 16 bits are summed as int, others as what they are. Refused: arrays, and a member that the access list does not show at all of
    /// these offsets. (One function for each type that a member can have: the compiler makes the argument from the pointer.)
#define TESSERA_SUM(T)                                                                                                         \
    template<class N> TESSERA_FN auto sum(N, typename same_as_given<summand<Function, N, View::dims, T>>::type member) const { \
        return sum_over<Function, N, T>(tessera_view_, member.index);                                                          \
    }
    TESSERA_SUM(bool)
    TESSERA_SUM(std::int8_t)
    TESSERA_SUM(std::uint8_t)
    TESSERA_SUM(std::int16_t)
    TESSERA_SUM(std::uint16_t)
    TESSERA_SUM(std::int32_t)
    TESSERA_SUM(std::uint32_t)
    TESSERA_SUM(std::int64_t)
    TESSERA_SUM(std::uint64_t)
    TESSERA_SUM(float)
    TESSERA_SUM(double)
#undef TESSERA_SUM

    /// A value of the step, that TESSERA_GLOBAL declares and a phase `reduce` has made, or TESSERA_UNIFORM: `self.get(total)`; of an array
    /// `self.get(chance)[i]`. Needs reads<total>.
    template<class Value> TESSERA_FN auto get(Value) const { return value_of_step<Function, Value>(tessera_view_); }

    // The engine makes it, once a call.
    TESSERA_FN explicit place(const View& from)
        : tessera_members::template tessera_own<Function, View>(from), position(from.position()), size(from.size()), step(from.step()),
          random(from.random()), tessera_view_(from) {}
    place(const place&) = delete;
    place& operator=(const place&) = delete;

private:
    View tessera_view_;
};

} // namespace tessera
