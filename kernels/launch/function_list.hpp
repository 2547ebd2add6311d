// Several of a model's functions, in an order: those of a program of fused steps, those of a collection's agents.
#pragma once

#include <tessera/detail/member.hpp>

namespace tessera {

template<int I, class T> struct indexed_type {};
template<class Indices, class... T> struct indexed_types;
template<int... I, class... T> struct indexed_types<index_list<I...>, T...> : indexed_type<I, T>... {};
template<int I, class T> same_as_given<T> type_at(const indexed_type<I, T>&);
template<class... T> struct function_list {
    static constexpr int count = sizeof...(T);
    template<int I> using at = typename decltype(type_at<I>(indexed_types<indices_to<count>, T...>{}))::type;
};

} // namespace tessera
