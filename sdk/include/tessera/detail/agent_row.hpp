// SPDX-License-Identifier: Apache-2.0
// TESSERA_AGENT, and what agents see of rows.
#pragma once

#include <tessera/detail/agent_access.hpp>
#include <tessera/detail/fold.hpp>
#include <tessera/detail/macros.hpp>

// A base class a member for a row that is seen from afar, at an offset that is known while running.
#define TESSERA_SEEN_TYPE(Row, member)                                                                       \
    template<class tessera_View, bool tessera_Shown> struct TESSERA_CAT(seen_, member) {                     \
        template<class tessera_At> TESSERA_FN TESSERA_CAT(seen_, member)(const tessera_View&, tessera_At) {} \
    };                                                                                                       \
    template<class tessera_View> struct TESSERA_CAT(seen_, member)<tessera_View, true> {                     \
        typename TESSERA_CAT(type_of_, member)::value member;                                                \
        template<class tessera_At>                                                                           \
        TESSERA_FN TESSERA_CAT(seen_, member)(const tessera_View& tessera_view, tessera_At at)               \
            : member(tessera_view.template seen<TESSERA_CAT(index_, member)>(at)) {}                         \
    };
#define TESSERA_SITE_BASE(Row, member) \
    , TESSERA_CAT(seen_, member)<tessera_View, tessera_Function::access::template shows<&Row::member, tessera_N, tessera_View::dims>()>
#define TESSERA_SITE_INIT(Row, member)                                                                                                   \
    , TESSERA_CAT(seen_, member)<tessera_View, tessera_Function::access::template shows<&Row::member, tessera_N, tessera_View::dims>()>( \
          tessera_view, at)

#define TESSERA_SEEN_MEMBERS(kind, Row, ...) TESSERA_CAT(TESSERA_SEEN_OF_, kind)(Row, __VA_ARGS__)
#define TESSERA_SEEN_OF_place(Row, ...)                                                                            \
    TESSERA_EACH(TESSERA_SEEN_TYPE, Row, __VA_ARGS__)                                                              \
    TESSERA_EACH(TESSERA_FOLDED_TYPE, Row, __VA_ARGS__)                                                            \
    template<class tessera_Function, class tessera_N, class tessera_View>                                          \
    struct tessera_seen : tessera_none TESSERA_EACH(TESSERA_SITE_BASE, Row, __VA_ARGS__) {                         \
        template<class tessera_At>                                                                                 \
        TESSERA_FN tessera_seen([[maybe_unused]] const tessera_View& tessera_view, [[maybe_unused]] tessera_At at) \
            : tessera_none() TESSERA_EACH(TESSERA_SITE_INIT, Row, __VA_ARGS__) {}                                  \
    };
#define TESSERA_SEEN_OF_link(Row, ...)
// Agents are seen where a function meets them.
#define TESSERA_MET_BASE(Row, member)   \
    , TESSERA_CAT(seen_,                \
                  member)<tessera_View, \
                          tessera::agent_access_of<tessera_Function>::template shows_met<&Row::member, tessera_N, tessera_View::dims>>
#define TESSERA_MET_INIT(Row, member)                                                                                                   \
    , TESSERA_CAT(seen_,                                                                                                                \
                  member)<tessera_View,                                                                                                 \
                          tessera::agent_access_of<tessera_Function>::template shows_met<&Row::member, tessera_N, tessera_View::dims>>( \
          tessera_view, at)
#define TESSERA_SEEN_OF_agent(Row, ...)                                                                           \
    TESSERA_EACH(TESSERA_SEEN_TYPE, Row, __VA_ARGS__)                                                             \
    template<class tessera_Function, class tessera_N, class tessera_View>                                         \
    struct tessera_met : tessera_none TESSERA_EACH(TESSERA_MET_BASE, Row, __VA_ARGS__) {                          \
        template<class tessera_At>                                                                                \
        TESSERA_FN tessera_met([[maybe_unused]] const tessera_View& tessera_view, [[maybe_unused]] tessera_At at) \
            : tessera_none() TESSERA_EACH(TESSERA_MET_INIT, Row, __VA_ARGS__) {}                                  \
    };

// TESSERA_AGENT(Row, on<Place>, members...): agents have rows of this struct. Every member is listed. Use it in the struct's own namespace.
#define TESSERA_AGENT(Row, Where, ...) TESSERA_ROW(agent, Row, Where, #Row "\0" #__VA_ARGS__ "\0" #Where, __VA_ARGS__)
