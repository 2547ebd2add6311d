// SPDX-License-Identifier: Apache-2.0
// TESSERA_AGENT, and what agents see of rows.
#pragma once

#include <tessera/detail/agent_access.hpp>
#include <tessera/detail/fold.hpp>
#include <tessera/detail/macros.hpp>

// A base class a member for a row that is seen from afar, at an offset that is known while running.
#define TESSERA_SEEN_TYPE(Row, member)                                               \
    template<class View, bool Shown> struct TESSERA_CAT(seen_, member) {             \
        template<class At> TESSERA_FN TESSERA_CAT(seen_, member)(const View&, At) {} \
    };                                                                               \
    template<class View> struct TESSERA_CAT(seen_, member)<View, true> {             \
        typename TESSERA_CAT(type_of_, member)::value member;                        \
        template<class At>                                                           \
        TESSERA_FN TESSERA_CAT(seen_, member)(const View& tessera_view, At at)       \
            : member(tessera_view.template seen<TESSERA_CAT(index_, member)>(at)) {} \
    };
#define TESSERA_SITE_BASE(Row, member) , TESSERA_CAT(seen_, member)<View, Function::access::template shows<&Row::member, N, View::dims>()>
#define TESSERA_SITE_INIT(Row, member) \
    , TESSERA_CAT(seen_, member)<View, Function::access::template shows<&Row::member, N, View::dims>()>(tessera_view, at)

#define TESSERA_SEEN_MEMBERS(kind, Row, ...) TESSERA_CAT(TESSERA_SEEN_OF_, kind)(Row, __VA_ARGS__)
#define TESSERA_SEEN_OF_place(Row, ...)                                                                                                  \
    TESSERA_EACH(TESSERA_SEEN_TYPE, Row, __VA_ARGS__)                                                                                    \
    TESSERA_EACH(TESSERA_FOLDED_TYPE, Row, __VA_ARGS__)                                                                                  \
    template<class Function, class N, class View> struct tessera_seen : tessera_none TESSERA_EACH(TESSERA_SITE_BASE, Row, __VA_ARGS__) { \
        template<class At>                                                                                                               \
        TESSERA_FN tessera_seen([[maybe_unused]] const View& tessera_view, [[maybe_unused]] At at)                                       \
            : tessera_none() TESSERA_EACH(TESSERA_SITE_INIT, Row, __VA_ARGS__) {}                                                        \
    };
#define TESSERA_SEEN_OF_link(Row, ...)
// Agents are seen where a function meets them.
#define TESSERA_MET_BASE(Row, member) \
    , TESSERA_CAT(seen_, member)<View, tessera::agent_access_of<Function>::template shows_met<&Row::member, N, View::dims>>
#define TESSERA_MET_INIT(Row, member)                                                                                                     \
    , TESSERA_CAT(seen_, member)<View, tessera::agent_access_of<Function>::template shows_met<&Row::member, N, View::dims>>(tessera_view, \
                                                                                                                            at)
#define TESSERA_SEEN_OF_agent(Row, ...)                                                                                                \
    TESSERA_EACH(TESSERA_SEEN_TYPE, Row, __VA_ARGS__)                                                                                  \
    template<class Function, class N, class View> struct tessera_met : tessera_none TESSERA_EACH(TESSERA_MET_BASE, Row, __VA_ARGS__) { \
        template<class At>                                                                                                             \
        TESSERA_FN tessera_met([[maybe_unused]] const View& tessera_view, [[maybe_unused]] At at)                                      \
            : tessera_none() TESSERA_EACH(TESSERA_MET_INIT, Row, __VA_ARGS__) {}                                                       \
    };

// TESSERA_AGENT(Row, on<Place>, members...): agents have rows of this struct. Every member is listed. Use it in the struct's own namespace.
#define TESSERA_AGENT(Row, Where, ...) TESSERA_ROW(agent, Row, Where, #Row "\0" #__VA_ARGS__ "\0" #Where, __VA_ARGS__)
