// What a function of places works on: `self`, and the neighbours that it sees.
//
// Both are made of one small base class a member, chosen by the function's access list: a member that is not declared is not there,
// one that is only read is const. All loads go through a view, which knows where the values are (global memory, registers, a row of
// pointers); the views live with the engine. A view V provides
//     V::dims                                      dimensions of the grid, 1 to 3
//     own<I>(), at<I, X, Y, Z>()                   the value of member I here and at an offset
//     exists<X, Y, Z>()                            whether there is a place at that offset (false only outside of an open boundary)
//     position(), size(), step(), random()         the place, the extents, the step number, the stream of random numbers
#pragma once

#include <tessera/access.hpp>
#include <tessera/member.hpp>
#include <tessera/random.hpp>

namespace tessera {

struct place_position {
    std::int64_t x, y, z;
};

// A neighbour, or all neighbours of a neighbourhood N: the members that Function's access list shows at all of N's offsets.
template<class Function, class N, class View> struct neighbour : Function::row_members::template tessera_near<Function, N, View> {
    template<int X, int Y, int Z>
    TESSERA_FN neighbour(const View& view, offset_type<X, Y, Z> at)
        : Function::row_members::template tessera_near<Function, N, View>(view, at) {}
};

// The first argument of `self.sum` that names a member; made by the compiler from `&Row::member`, refused if the access list does not
// show that member there.
template<class Function, class N, int Dims, class T> struct summand {
    using row = typename Function::row;
    int index;
    consteval summand(T row::*member) : index(Function::row_members::template find<Function, N, Dims>(member)) {
        if (index < 0) member_is_not_in_the_access_list();
    }
    static void member_is_not_in_the_access_list();
};

template<class Function, class View> struct place : Function::row_members::template tessera_own<Function, View> {
    using tessera_members = typename Function::row_members;

    const place_position position; // of this place, from 0
    const place_position size;     // extents of the grid in places
    const std::uint64_t step;      // the number of the step that is being made
    random_stream random;          // this place's own random numbers in this call

    TESSERA_FN explicit place(const View& from)
        : tessera_members::template tessera_own<Function, View>(from), position(from.position()), size(from.size()), step(from.step()),
          random(from.random()), tessera_view_(from) {}

    // Calls `visit(neighbour)` for each neighbour that exists, in list order.
    template<class N, class Visitor> TESSERA_FN void each(N, Visitor&& visit) const {
        tessera_each_of<N>(visit, indices_to<N::template count<View::dims>>{});
    }

    // The neighbour at a constant offset: `self.at(west).heat`. Outside of an open boundary it has the members' defaults.
    template<int X, int Y, int Z> TESSERA_FN auto at(offset_type<X, Y, Z> where) const {
        return neighbour<Function, offset_type<X, Y, Z>, View>(tessera_view_, where);
    }

    // Whether there is a place at this offset; false only outside of an open boundary.
    template<int X, int Y, int Z> TESSERA_FN bool exists(offset_type<X, Y, Z>) const { return tessera_view_.template exists<X, Y, Z>(); }

    // The sum of a member over the neighbours that exist, in list order; small integers are summed as int.
#define TESSERA_SUM(T)                                                                                                             \
    template<class N> TESSERA_FN auto sum(N, typename same_as_given<summand<Function, N, View::dims, T>>::type member) const {     \
        return tessera_sum_of<N, T>(member.index, indices_to<N::template count<View::dims>>{});                                            \
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

private:
    View tessera_view_;

    template<class N, int I> static constexpr auto tessera_offset_at() {
        constexpr place_offset o = N::template at<View::dims>(I);
        return offset_type<o.x, o.y, o.z>{};
    }

    template<class N, class Visitor, int... I> TESSERA_FN void tessera_each_of(Visitor& visit, index_list<I...>) const {
        (tessera_visit_one<N>(visit, tessera_offset_at<N, I>()), ...);
    }
    template<class N, class Visitor, int X, int Y, int Z>
    TESSERA_FN void tessera_visit_one(Visitor& visit, offset_type<X, Y, Z> where) const {
        if (!tessera_view_.template exists<X, Y, Z>()) return;
        const neighbour<Function, N, View> there(tessera_view_, where); // const, so that a visitor may take it as `auto&` too
        visit(there);
    }

    template<class N, class T, int... I> TESSERA_FN auto tessera_sum_of(int member, index_list<I...>) const {
        typename sum_type<T>::type total{};
        ((total += tessera_term<T>(member, tessera_offset_at<N, I>())), ...);
        return total;
    }
    template<class T, int X, int Y, int Z> TESSERA_FN T tessera_term(int member, offset_type<X, Y, Z>) const {
        return tessera_view_.template exists<X, Y, Z>() ? tessera_members::template pick<Function, T, X, Y, Z>(tessera_view_, member) : T{};
    }
};

} // namespace tessera
