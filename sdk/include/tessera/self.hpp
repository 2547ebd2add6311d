// What a function of places works on: `self`, and the neighbours that it sees.
//
// Both are made of one small base class a member, chosen by the function's access list: a member that is not declared is not there,
// one that is only read is const. All loads go through a view, which knows where the values are (global memory, registers, a row of
// pointers); the views live with the engine. A view V provides
//     V::dims                                      dimensions of the grid, 1 to 3
//     own<I>(), at<I, X, Y, Z>()                   the value of member I here and at an offset
//     exists<X, Y, Z>()                            whether there is a place at that offset (false only outside of an open boundary)
//     V::masked                                    whether one within the reach of the access list may be missing
//     position(), size(), step(), random()         the place, the extents, the step number, the stream of random numbers
#pragma once

#include <tessera/access.hpp>
#include <tessera/member.hpp>
#include <tessera/random.hpp>

namespace tessera {

struct place_position {
    std::int64_t x, y, z;
};

// What a view gives for a member of type T: T, or the lanes of many places (`held<T>` of such a view).
template<class View, class T> struct held_in_view { using type = T; };
template<class View, class T>
requires requires { typename View::template held<T>; }
struct held_in_view<View, T> {
    using type = typename View::template held<T>;
};
template<class View, class T> using held_in = typename held_in_view<View, T>::type;
template<class Held, class T> TESSERA_FN constexpr Held held_from(const T& value) {
    if constexpr (same_type<Held, T>)
        return value;
    else
        return Held::of(value);
}

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

// The sum of the member with a number that is known after all calls are inlined, of type T: a chain of comparisons that folds away. Every
// function here is one more for each offset, or each member, that a compiler has to make; loops over offsets stand innermost.
template<class N, int I, int Offset, class T, class View> TESSERA_FN T term_of(const View& view) {
    constexpr place_offset o = N::template at<View::dims>(Offset);
    if constexpr (View::masked)
        return view.template exists<o.x, o.y, o.z>() ? view.template at<I, o.x, o.y, o.z>() : T{};
    else
        return view.template at<I, o.x, o.y, o.z>();
}
template<class N, int I, class T, class View, class Total, int... Offsets>
TESSERA_FN void add_member(const View& view, Total& total, index_list<Offsets...>) {
    if constexpr (same_type<Total, typename sum_type<T>::type>)
        ((total += term_of<N, I, Offsets, T>(view)), ...);
    else
        view.template add_up<N, I>(total, index_list<Offsets...>{});
}
template<class Function, int I, class T> constexpr bool could_be_summed() {
    constexpr auto pointer = Function::row_members::template pointer_to<I>();
    return same_type<decltype(pointer), T Function::row::*const> && (Function::access::template bits<pointer> & access_around) != 0;
}
template<class Function, class N, class T, int I, class View, class Total>
TESSERA_FN void add_if(const View& view, int member, Total& total) {
    if constexpr (could_be_summed<Function, I, T>())
        if (member == I) add_member<N, I, T>(view, total, indices_to<N::template count<View::dims>>{});
}
template<class Function, class N, class T, class View, class Total, int... I>
TESSERA_FN void add_one_of(const View& view, int member, Total& total, index_list<I...>) {
    (add_if<Function, N, T, I>(view, member, total), ...);
}

template<class Function, class View> struct place : Function::row_members::template tessera_own<Function, View> {
    using tessera_members = typename Function::row_members;

    const decltype(static_cast<const View*>(nullptr)->position()) position; // of this place, from 0: x, y, z
    const place_position size;                                              // extents of the grid in places
    const std::uint64_t step;                                               // the number of the step that is being made
    decltype(static_cast<const View*>(nullptr)->random()) random;           // this place's own random numbers in this call

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
#define TESSERA_SUM(T)                                                                                                         \
    template<class N> TESSERA_FN auto sum(N, typename same_as_given<summand<Function, N, View::dims, T>>::type member) const { \
        return tessera_sum_of<N, T>(member.index);                                                                             \
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

    template<class N, class T> static constexpr auto tessera_total() {
        if constexpr (same_type<held_in<View, T>, T>)
            return typename sum_type<T>::type{};
        else
            return typename View::template total<N, T>{};
    }
    template<class N, class T> using held_total = decltype(tessera_total<N, T>());
    template<class N, class T> TESSERA_FN auto tessera_sum_of(int member) const {
        held_total<N, T> total{};
        add_one_of<Function, N, T>(tessera_view_, member, total, indices_to<tessera_members::member_count>{});
        return total;
    }
};

} // namespace tessera
