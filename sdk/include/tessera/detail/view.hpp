// SPDX-License-Identifier: Apache-2.0
// What `self` and its neighbours are made of.
//
// Both are made of one small base class a member, chosen by the function's access list: a member that is not declared is not there, one
// that is only read is const. All loads go through a view, which knows where the values are (global memory, registers, a row of pointers);
// the views live with the engine. A view V provides
//     V::dims                                      dimensions of the grid, 1 to 3
//     own<I>(), at<I, X, Y, Z>()                   the value of member I here and at an offset
//     exists<X, Y, Z>()                            whether there is a place at that offset (false only outside of an open boundary)
//     V::masked                                    whether one within the reach of the access list may be missing
//     position(), size(), step(), random()         the place, the extents, the step number, the stream of random numbers
//     global<Value>()                              a value of the step; an array as uniform_values (detail/uniform.hpp)
#pragma once

#include <tessera/detail/access_list.hpp>
#include <tessera/detail/member.hpp>

namespace tessera {

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

// What a member begins with that a function sets and does not read. In a checked run a view may have another value instead of the default
// (kernels/launch/trial_view.hpp).
template<class View, class Held> TESSERA_FN constexpr Held first_of_set([[maybe_unused]] const View& view, const Held& value) {
#if defined(TESSERA_CHECKED)
    if constexpr (requires { view.instead_of(value); })
        return view.instead_of(value);
    else
#endif
        return value;
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

// The sum of the member with this number over N, of type T or of many places.
template<class N, class T, class View> constexpr auto empty_total() {
    if constexpr (same_type<held_in<View, T>, T>)
        return typename sum_type<T>::type{};
    else
        return typename View::template total<N, T>{};
}
template<class Function, class N, class T, class View> TESSERA_FN auto sum_over(const View& view, int member) {
    decltype(empty_total<N, T, View>()) total{};
    add_one_of<Function, N, T>(view, member, total, indices_to<Function::row_members::member_count>{});
    return total;
}

// self.get(VALUE), of places and of agents.
template<class Function, class Value, class View> TESSERA_FN auto value_of_step(const View& view) {
    static_assert(is_global<Value>, "get(VALUE) takes what TESSERA_GLOBAL or TESSERA_UNIFORM declares");
    constexpr bool may = Function::access::template reads_global<Value>;
    static_assert(!is_global<Value> || may, "get(VALUE) needs reads<VALUE> in the access list");
    if constexpr (may)
        return view.template global<Value>();
    else
        return 0;
}

template<class N, int Dims, int I> constexpr auto offset_in() {
    constexpr place_offset o = N::template at<Dims>(I);
    return offset_type<o.x, o.y, o.z>{};
}
template<class Function, class N, class View, class Visitor, int X, int Y, int Z>
TESSERA_FN void visit_one(const View& view, Visitor& visit, offset_type<X, Y, Z> where) {
    if (!view.template exists<X, Y, Z>()) return;
    const neighbour<Function, N, View> there(view, where); // const, so that a visitor may take it as `auto&` too
    visit(there);
}
template<class Function, class N, class View, class Visitor, int... I>
TESSERA_FN void visit_all(const View& view, Visitor& visit, index_list<I...>) {
    (visit_one<Function, N>(view, visit, offset_in<N, View::dims, I>()), ...);
}

} // namespace tessera
