// SPDX-License-Identifier: Apache-2.0
// TESSERA_PLACE and TESSERA_AGENT: from a plain struct to the member lists that views are made of.
#pragma once

#include <tessera/detail/describe.hpp>
#include <tessera/detail/macros.hpp>
#include <tessera/detail/view.hpp>
#if defined(TESSERA_WITHOUT_AGENTS) // the engine defines it for models that have none
#define TESSERA_SEEN_MEMBERS(kind, Row, ...)
#else
#include <tessera/detail/agent_row.hpp>
#endif
#if defined(TESSERA_WITHOUT_LINKS) // likewise
#define TESSERA_FAR_MEMBERS(Row, ...)
#else
#include <tessera/links.hpp>
#endif

// One base class a member for `self` (own_) and one for neighbours (near_). Bits are those of the access list; 0 leaves the member out.
// Their own names begin with tessera_, so that a member may have any other.
#define TESSERA_MEMBER_TYPES(Row, member)                                                                                              \
    using TESSERA_CAT(type_of_, member) = tessera::member_type<decltype(Row::member)>;                                                 \
    template<class tessera_View, int tessera_Bits,                                                                                     \
             int tessera_Used = (tessera_Bits & tessera::access_write)   ? 2                                                           \
                                : (tessera_Bits >= tessera::access_adds) ? 3                                                           \
                                : (tessera_Bits & tessera::access_read)  ? 1                                                           \
                                                                         : 0>                                                           \
    struct TESSERA_CAT(own_, member) {                                                                                                 \
        TESSERA_FN explicit TESSERA_CAT(own_, member)(const tessera_View&) {}                                                          \
        TESSERA_FN void tessera_put(const tessera_View&) const {}                                                                      \
    };                                                                                                                                 \
    template<class tessera_View, int tessera_Bits> struct TESSERA_CAT(own_, member)<tessera_View, tessera_Bits, 1> {                   \
        const tessera::held_in<tessera_View, typename TESSERA_CAT(type_of_, member)::value> member;                                    \
        TESSERA_FN explicit TESSERA_CAT(own_, member)(const tessera_View& tessera_view)                                                \
            : member(tessera_view.template own<TESSERA_CAT(index_, member)>()) {}                                                      \
        TESSERA_FN void tessera_put(const tessera_View&) const {}                                                                      \
    };                                                                                                                                 \
    template<class tessera_View, int tessera_Bits> struct TESSERA_CAT(own_, member)<tessera_View, tessera_Bits, 2> {                   \
        using tessera_held = tessera::held_in<tessera_View, typename TESSERA_CAT(type_of_, member)::value>;                            \
        tessera_held member;                                                                                                           \
        TESSERA_FN explicit TESSERA_CAT(own_, member)(const tessera_View& tessera_view) : member(tessera_first(tessera_view)) {}       \
        TESSERA_FN void tessera_put(const tessera_View& tessera_view) const {                                                          \
            tessera_view.template store<TESSERA_CAT(index_, member)>(member);                                                          \
        }                                                                                                                              \
        static TESSERA_FN tessera_held tessera_first(const tessera_View& tessera_view) {                                               \
            if constexpr ((tessera_Bits & tessera::access_read) != 0)                                                                  \
                return tessera_view.template own<TESSERA_CAT(index_, member)>();                                                       \
            else                                                                                                                       \
                return tessera::first_of_set(tessera_view,                                                                             \
                                             tessera::held_from<tessera_held>(tessera_default_of<TESSERA_CAT(index_, member)>()));     \
        }                                                                                                                              \
    };                                                                                                                                 \
    template<class tessera_View, bool tessera_Shown> struct TESSERA_CAT(near_, member) {                                               \
        template<class tessera_At> TESSERA_FN TESSERA_CAT(near_, member)(const tessera_View&, tessera_At) {}                           \
    };                                                                                                                                 \
    template<class tessera_View> struct TESSERA_CAT(near_, member)<tessera_View, true> {                                               \
        const tessera::held_in<tessera_View, typename TESSERA_CAT(type_of_, member)::value> member;                                    \
        template<int tessera_X, int tessera_Y, int tessera_Z>                                                                          \
        TESSERA_FN TESSERA_CAT(near_, member)(const tessera_View& tessera_view, tessera::offset_type<tessera_X, tessera_Y, tessera_Z>) \
            : member(tessera_view.template at<TESSERA_CAT(index_, member), tessera_X, tessera_Y, tessera_Z>()) {}                      \
    };

#define TESSERA_MEMBER_INDEX(Row, member) TESSERA_CAT(index_, member),
// One function a member, to be chosen by its index: a chain of comparisons would be gone through for each of the members. `Made` is Row,
// which is looked at in the functions that are used alone.
#define TESSERA_MEMBER_POINTER(Row, member) \
    static constexpr auto pointer_at(tessera::index_type<TESSERA_CAT(index_, member)>*) { return &Row::member; }
#define TESSERA_MEMBER_DEFAULT(Row, member)                                                                                               \
    template<class tessera_Made> static TESSERA_FN constexpr auto tessera_default_at(tessera::index_type<TESSERA_CAT(index_, member)>*) { \
        return tessera::copy_member(tessera_Made{}.member);                                                                               \
    }
#define TESSERA_OWN_BASE(Row, member) , TESSERA_CAT(own_, member)<tessera_View, tessera_Function::access::template bits<&Row::member>>
#define TESSERA_OWN_INIT(Row, member) \
    , TESSERA_CAT(own_, member)<tessera_View, tessera_Function::access::template bits<&Row::member>>(tessera_view)
#define TESSERA_OWN_STORE(Row, member) \
    TESSERA_CAT(own_, member)<tessera_View, tessera_Function::access::template bits<&Row::member>>::tessera_put(tessera_view);
#define TESSERA_NEAR_BASE(Row, member) \
    , TESSERA_CAT(near_, member)<tessera_View, tessera_Function::access::template shows<&Row::member, tessera_N, tessera_View::dims>()>
#define TESSERA_NEAR_INIT(Row, member)                                                                                                   \
    , TESSERA_CAT(near_, member)<tessera_View, tessera_Function::access::template shows<&Row::member, tessera_N, tessera_View::dims>()>( \
          tessera_view, at)
#define TESSERA_MEMBER_RECORD(Row, member) tessera::member_record<decltype(Row::member)> TESSERA_CAT(record_, member);
#define TESSERA_MEMBER_RECORD_INIT(Row, member) tessera::member_record<decltype(Row::member)>(tessera::default_of<Row>().member),

// A row of this kind (of records.hpp) with these members, all that it has. The record's text ends with `names`. What agents see of rows is
// declared where there are any (detail/agent_row.hpp).
#define TESSERA_PLACE(Row, ...) TESSERA_ROW(place, Row, tessera::nowhere, #Row "\0" #__VA_ARGS__, __VA_ARGS__)
#define TESSERA_ROW(kind, Row, Where, names, ...)                                                                                        \
    struct TESSERA_CAT(tessera_members_of_, Row) {                                                                                       \
        using row = Row;                                                                                                                 \
        using where = Where;                                                                                                             \
        static constexpr char name[] = #Row;                                                                                             \
        enum : int { TESSERA_EACH(TESSERA_MEMBER_INDEX, Row, __VA_ARGS__) member_count };                                                \
        static TESSERA_FN void tessera_all_are_listed(Row& tessera_row) {                                                                \
            __VA_OPT__([[maybe_unused]] auto& [__VA_ARGS__] = tessera_row;)(void) tessera_row;                                           \
        }                                                                                                                                \
        TESSERA_EACH(TESSERA_MEMBER_POINTER, Row, __VA_ARGS__)                                                                           \
        template<int tessera_I> static constexpr auto pointer_to() {                                                                     \
            return pointer_at(static_cast<tessera::index_type<tessera_I>*>(nullptr));                                                    \
        }                                                                                                                                \
        TESSERA_EACH(TESSERA_MEMBER_DEFAULT, Row, __VA_ARGS__)                                                                           \
        template<int tessera_I> static TESSERA_FN constexpr auto tessera_default_of() {                                                  \
            return tessera_default_at<Row>(static_cast<tessera::index_type<tessera_I>*>(nullptr));                                       \
        }                                                                                                                                \
        TESSERA_EACH(TESSERA_MEMBER_TYPES, Row, __VA_ARGS__)                                                                             \
        struct tessera_none {};                                                                                                          \
        template<class tessera_Function, class tessera_View>                                                                             \
        struct tessera_own : tessera_none TESSERA_EACH(TESSERA_OWN_BASE, Row, __VA_ARGS__) {                                             \
            TESSERA_FN explicit tessera_own(const tessera_View& tessera_view)                                                            \
                : tessera_none() TESSERA_EACH(TESSERA_OWN_INIT, Row, __VA_ARGS__) {}                                                     \
            TESSERA_FN void tessera_store(const tessera_View& tessera_view) const {                                                      \
                TESSERA_EACH(TESSERA_OWN_STORE, Row, __VA_ARGS__)(void) tessera_view;                                                    \
            }                                                                                                                            \
        };                                                                                                                               \
        template<class tessera_Function, class tessera_N, class tessera_View>                                                            \
        struct tessera_near : tessera_none TESSERA_EACH(TESSERA_NEAR_BASE, Row, __VA_ARGS__) {                                           \
            template<class tessera_At>                                                                                                   \
            TESSERA_FN tessera_near(const tessera_View& tessera_view, tessera_At at)                                                     \
                : tessera_none() TESSERA_EACH(TESSERA_NEAR_INIT, Row, __VA_ARGS__) {}                                                    \
        };                                                                                                                               \
        TESSERA_SEEN_MEMBERS(kind, Row, __VA_ARGS__)                                                                                     \
        TESSERA_FAR_MEMBERS(Row, __VA_ARGS__)                                                                                            \
        template<class tessera_Function, class tessera_N, int tessera_Dims, class tessera_T>                                             \
        static constexpr int find(tessera_T row::*member) {                                                                              \
            return tessera::find_member<TESSERA_CAT(tessera_members_of_, Row), tessera_Function, tessera_N, tessera_Dims>(               \
                member, tessera::indices_to<member_count>{});                                                                            \
        }                                                                                                                                \
    };                                                                                                                                   \
    TESSERA_CAT(tessera_members_of_, Row) tessera_find_members(const Row*);                                                              \
    struct TESSERA_CAT(tessera_row_record_of_, Row) {                                                                                    \
        tessera::record_header header;                                                                                                   \
        TESSERA_EACH(TESSERA_MEMBER_RECORD, Row, __VA_ARGS__)                                                                            \
        char text[sizeof(names)];                                                                                                        \
    };                                                                                                                                   \
    TESSERA_RECORD_OF(                                                                                                                   \
        TESSERA_CAT(tessera_row_record_of_, Row), TESSERA_CAT(row_, Row),                                                                \
        {tessera::header_of(tessera::record_kind::kind, TESSERA_HERE, sizeof(Row), TESSERA_CAT(tessera_members_of_, Row)::member_count), \
         TESSERA_EACH(TESSERA_MEMBER_RECORD_INIT, Row, __VA_ARGS__) names})

namespace tessera {

struct nowhere {}; // where places stand

template<class Members, int I, class T> constexpr bool is_member(T Members::row::*member) {
    constexpr auto candidate = Members::template pointer_to<I>();
    if constexpr (same_type<decltype(candidate), T Members::row::*const>)
        return member == candidate;
    else
        return false;
}

// The index of `member` if Function may read it over all of N, else -1.
template<class Members, class Function, class N, int Dims, class T, int... I>
constexpr int find_member(T Members::row::*member, index_list<I...>) {
    int found = -1;
    ((is_member<Members, I>(member) && Function::access::template shows<Members::template pointer_to<I>(), N, Dims>() ? void(found = I)
                                                                                                                      : void()),
     ...);
    return found;
}

} // namespace tessera
