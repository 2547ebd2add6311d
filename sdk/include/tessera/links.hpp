// SPDX-License-Identifier: Apache-2.0
// Links: rows that join two places, of a grid or of places that have numbers alone.
//
//     struct Contact { float chance = 0.1f; };
//     TESSERA_LINK(Contact, between<Person>, chance);                       the same for both of its ends
//     TESSERA_LINK(Synapse, from<Neuron>::to<Neuron>, weight);              from one to the other
//
// A list of links is a neighbourhood: around<links<Contact>, &Person::state, &Contact::chance> shows the places at the other ends, and the
// links; adds<out_links<Synapse>, &Neuron::input> gives something to the places there. Which links there are the run file says, in
// [links.contact].
#pragma once

#include <tessera/detail/link_send.hpp>
#include <tessera/detail/link_view.hpp>
#include <tessera/detail/macros.hpp>

namespace tessera {

/// Links that lead from places of one row to places of the same or another: `from<Neuron>::to<Neuron>`.
template<class Source> struct from {
    template<class Target> struct to {
        using source = Source;
        using target = Target;
        static constexpr bool directed = true;
    };
};

/// Links between places of one row, the same for both.
template<class Row> struct between {
    using source = Row;
    using target = Row;
    static constexpr bool directed = false;
};

/// All links of a place, of those that are between<Row>. In the order of the numbers of the places at the other ends.
template<class Link> inline constexpr link_list<Link, link_side::both> links{};

/// The links that lead to a place, in the order of where they come from.
template<class Link> inline constexpr link_list<Link, link_side::in> in_links{};

/// The links that lead away from a place, in the order of where they lead to.
template<class Link> inline constexpr link_list<Link, link_side::out> out_links{};

/// In functions of links: the two places that a link joins, as in around<ends, &Person::opinion>.
inline constexpr ends_type ends{};

// ---- what a visitor sees

/// The place at the other end of a link: those of its members that around<...> names.
template<class Function, class N, class View> struct other_end : end_seen<Function, N, View> {
    /// The number of that place.
    const std::int64_t id;

    /// The link: those of its members that around<...> names.
    const seen_link<Function, N, View> link;

    TESSERA_FN other_end(const View& view, std::int64_t at, std::int64_t number)
        : end_seen<Function, N, View>(place_at_hand<N, View>{view}, number), id(number), link(view, at) {}
    other_end(const other_end&) = delete;
    other_end& operator=(const other_end&) = delete;
};

/// The place at the other end of a link that is sent along: what is seen of it, and those of its members that adds<...>, least<...> and
/// most<...> name, to be added to, lowered or raised.
template<class Function, class N, class View> struct given_end : other_end<Function, N, View>, given_members<Function, N, View> {
    using tessera_members = members_of_row<typename N::there>;
    static_assert(
        !sees_what_it_sends<Function, N>(indices_to<tessera_members::member_count>{}),
        "a member that is sent to is not seen along the same links (what is sent is there behind the phase) read it in another function");
    static_assert(!sends_in_two_ways<Function, N>(indices_to<tessera_members::member_count>{}),
                  "a member can stand in only one of adds<LINKS, ...>, least<LINKS, ...> and most<LINKS, ...>");
    TESSERA_FN given_end(const View& view, std::int64_t at, std::int64_t number)
        : other_end<Function, N, View>(view, at, number), given_members<Function, N, View>(view, number) {}
};

/// `self` of a function of places whose access list names links. Base is what it is without: place, or numbered_place. Other is what a
/// visitor sees.
template<class Function, class View, class Base, template<class, class, class> class Other = other_end> struct linked_place : Base {
    TESSERA_FN explicit linked_place(const View& view) : Base(view), tessera_links_(view) {}

    /// Calls `visit(other)` for each link, in the order of the list: `self.each(links<Contact>, [&](const auto& other) { ... })`. Has
    /// `other.state` of the place at the other end, as it was before the phase, `other.id`, its number, and `other.link.chance`; const.
    template<class N, class Visitor> TESSERA_FN void each(N n, Visitor&& visit) const {
        if constexpr (is_along_links<N>) {
            const auto list = tessera_list<N>();
            for (std::int64_t at = list.first; at < list.end; ++at) tessera_visit<N>(at, visit);
        } else
            Base::each(n, visit);
    }

    /// How many links there are: the degree.
    template<class N> TESSERA_FN int count(N) const {
        const auto list = tessera_list<N>();
        return static_cast<int>(list.end - list.first);
    }

    /// Of how many links the condition holds: `self.count(links<Contact>, [](const auto& other) { return other.state == 1; })`. Like the
    /// functions below it may ask them in any order; the condition returns an answer, and changes nothing.
    template<class N, class Condition> TESSERA_FN int count(N, Condition&& holds) const {
        return tessera_fold<N>(
            0, [&](int total, const auto& other) { return total + (holds(other) ? 1 : 0); }, [](int a, int b) { return a + b; });
    }

    /// Whether the condition holds of any.
    template<class N, class Condition> TESSERA_FN bool any(N, Condition&& holds) const {
        return tessera_fold<N>(
                   0, [&](int total, const auto& other) { return total != 0 || static_cast<bool>(holds(other)) ? 1 : 0; },
                   [](int a, int b) { return a | b; }) != 0;
    }

    /// The least of `start` and what `value(other)` gives.
    template<class N, class T, class Value> TESSERA_FN T least(N, T start, Value&& value) const {
        return tessera_extreme<true, N>(start, value);
    }

    /// The most of `start` and what `value(other)` gives.
    template<class N, class T, class Value> TESSERA_FN T most(N, T start, Value&& value) const {
        return tessera_extreme<false, N>(start, value);
    }

    /// The sum of what `value(other)` gives. Of floating-point numbers the order is fixed, and the plain one up to 32 links (docs/sdk.md).
    template<class N, class Value>
    requires(!is_member_pointer<without_const<without_reference<Value>>>) TESSERA_FN auto sum(N, Value&& value) const {
        using T = without_const<without_reference<decltype(value(tessera_first<N>()))>>;
        const auto list = tessera_list<N>();
        return sum_of_links<decltype(T() + T()), tessera_team>(list.end - list.first, [&](std::int64_t i) {
            return value(Other<Function, N, View>(tessera_links_, list.first + i, tessera_links_.template other<N>(list.first + i)));
        });
    }

    /// The sum of a member: of the places at the other ends, `self.sum(links<Contact>, &Person::state)`, or of places around.
#define TESSERA_LINK_SUM(T)                                                                                          \
    template<class N> TESSERA_FN auto sum(N, typename summand_over<Function, N, View::dims, T>::type member) const { \
        if constexpr (is_along_links<N>)                                                                             \
            return tessera_sum<N, T>(member.index, indices_to<members_of_row<typename N::there>::member_count>{});   \
        else                                                                                                         \
            return sum_over<Function, N, T>(tessera_links_, member.index);                                           \
    }
    TESSERA_LINK_SUM(bool)
    TESSERA_LINK_SUM(std::int8_t)
    TESSERA_LINK_SUM(std::uint8_t)
    TESSERA_LINK_SUM(std::int16_t)
    TESSERA_LINK_SUM(std::uint16_t)
    TESSERA_LINK_SUM(std::int32_t)
    TESSERA_LINK_SUM(std::uint32_t)
    TESSERA_LINK_SUM(std::int64_t)
    TESSERA_LINK_SUM(std::uint64_t)
    TESSERA_LINK_SUM(float)
    TESSERA_LINK_SUM(double)
#undef TESSERA_LINK_SUM

    /// Calls `visit(other)` for one of the links, each as likely, and draws once; where there is none, neither.
    template<class N, class Visitor> TESSERA_FN void pick(N, Visitor&& visit) {
        const auto list = tessera_list<N>();
        if (list.first == list.end) return;
        tessera_visit<N>(list.first + this->random.below(static_cast<std::int32_t>(list.end - list.first)), visit);
    }

    /// Wants a link from this place to the one of that number: `self.spawn(Friend{.since = 3}, other.id)`. It is there behind the next
    /// `manageAll` of its type, unless the two are joined already, or are one (docs/sdk.md). Needs spawns<LINK>.
    template<class Link> TESSERA_FN void spawn(const Link& child, std::int64_t to) const {
        static_assert(!are_links<Link> || same_type<typename ends_of<Link>::source, typename Function::row>,
                      "spawn(LINK, to) is for places that its links come from; write spawn(LINK, from, to)");
        spawn(child, tessera_links_.number(), to);
    }
    /// The same between any two places that it may join.
    template<class Link> TESSERA_FN void spawn(const Link& child, std::int64_t from, std::int64_t to) const {
        constexpr bool may = Function::access::template spawns_links < Link >> 0;
        static_assert(may, "spawn(LINK, ...) needs spawns<LINK> in the access list");
        if constexpr (may) tessera_links_.spawn(child, from, to);
    }

    /// Calls `give(there)` for each link, in any order: `self.send(out_links<Synapse>, [&](const auto& there) { there.input += 1; })`. Has
    /// what `each` shows, and of adds<LINKS, &PLACE::member> something to add to, of least<...> and most<...> to lower and to raise.
    template<class N, class Giver> TESSERA_FN void send(N, Giver&& give) const {
        static_assert(is_along_links<N>, "links<LINK>, in_links<LINK> or out_links<LINK> is expected here");
        static_assert(
            Function::access::template sends_along<N>,
            "send(LINKS, ...) needs adds<LINKS, ...>, least<LINKS, ...> or most<LINKS, ...> in the access list, with the same LINKS");
        // Of several at once all is read before anything is given.
        if constexpr (Function::access::template sends_along<N>)
            tessera_links_.template send_along<N>([&](auto... at) {
                tessera_give(give, given_end<Function, N, View>(tessera_links_, at, tessera_links_.template other<N>(at))...);
            });
    }

protected:
    template<class N> TESSERA_FN auto tessera_list() const {
        static_assert(is_along_links<N>, "links<LINK>, in_links<LINK> or out_links<LINK> is expected here");
        static_assert(Function::access::template names_along<N>,
                      "links are visited that are not in the access list; it needs around<LINKS, ...>, with the same LINKS");
        return tessera_links_.template list<N>();
    }
    // The numbers of the places at the other ends, in the order of the list.
    template<class N, class Visit> TESSERA_FN void tessera_each_number(Visit&& visit) const {
        const auto list = tessera_list<N>();
        for (std::int64_t at = list.first; at < list.end; ++at) visit(tessera_links_.template other<N>(at));
    }
    TESSERA_FN const View& tessera_view() const { return tessera_links_; }

private:
    using tessera_team = typename team_of_view<View>::type;

    template<class N> TESSERA_FN Other<Function, N, View> tessera_first() const; // for its type
    template<class N, class Visitor> TESSERA_FN void tessera_visit(std::int64_t at, Visitor&& visit) const {
        const Other<Function, N, View> other(tessera_links_, at, tessera_links_.template other<N>(at));
        visit(other);
    }
    template<class Giver, class... There> static TESSERA_FN void tessera_give(Giver& give, const There&... there) { (give(there), ...); }
    // `join` takes one more link to what a thread has; `meet` what two threads have.
    template<class N, class T, class Join, class Meet> TESSERA_FN T tessera_fold(T start, Join&& join, Meet&& meet) const {
        const auto list = tessera_list<N>();
        T total = start;
        const auto visit = [&](const auto& other) { total = join(total, other); };
        for (std::int64_t at = list.first + tessera_team::rank(); at < list.end; at += tessera_team::size) tessera_visit<N>(at, visit);
        if constexpr (tessera_team::size > 1) {
            T all = start;
            tessera_team::each_value(total, [&](T of_thread) { all = meet(all, of_thread); });
            return all;
        } else
            return total;
    }
    template<bool Least, class N, class T, class Value> TESSERA_FN T tessera_extreme(T start, Value& value) const {
        const auto list = tessera_list<N>();
        if constexpr (shares_out<tessera_team, found_value<T>>) {
            found_value<T> mine{start, -1}, best = mine;
            for (std::int64_t at = list.first + tessera_team::rank(); at < list.end; at += tessera_team::size)
                tessera_visit<N>(at, [&](const auto& other) {
                    const T one = static_cast<T>(value(other));
                    if (replaces<Least>(one, mine.value)) mine = {one, at};
                });
            tessera_team::each_value(mine, [&](const found_value<T>& one) {
                if (replaces<Least>(one, best)) best = one;
            });
            return best.value;
        } else {
            T total = start;
            for (std::int64_t at = list.first; at < list.end; ++at)
                tessera_visit<N>(at, [&](const auto& other) {
                    const T one = static_cast<T>(value(other));
                    if (replaces<Least>(one, total)) total = one;
                });
            return total;
        }
    }
    template<class N, class T, int... I> TESSERA_FN auto tessera_sum(int member, index_list<I...>) const {
        typename sum_type<T>::type total{};
        ((member == I ? void(total = tessera_sum_of<N, T, I>()) : void()), ...);
        return total;
    }
    template<class N, class T, int I> TESSERA_FN auto tessera_sum_of() const {
        using total = typename sum_type<T>::type;
        constexpr auto pointer = members_of_row<typename N::there>::template pointer_to<I>();
        if constexpr (same_type<decltype(pointer), T N::there::*const> && Function::access::template shows_along<pointer, N>) {
            const auto list = tessera_list<N>();
            return sum_of_links<total, tessera_team>(list.end - list.first, [&](std::int64_t i) {
                return static_cast<total>(tessera_links_.template of_end<N, I>(tessera_links_.template other<N>(list.first + i)));
            });
        } else
            return total{};
    }

    View tessera_links_;
};

// ---- functions of links

// One of the two places that a link joins: those of its members that around<ends, ...> names.
template<class Function, class N, class View> struct joined_place : end_seen<Function, N, View> {
    /// The number of that place.
    const std::int64_t id;

    TESSERA_FN joined_place(const View& view, std::int64_t number)
        : end_seen<Function, N, View>(place_at_hand<N, View>{view}, number), id(number) {}
    joined_place(const joined_place&) = delete;
    joined_place& operator=(const joined_place&) = delete;
};

/// `self` of a function of links:
///
///     TESSERA_CALL(Friend, drift, around<ends, &Person::opinion>, writes<&Friend::weight>) {
///         if (abs(self.from.opinion - self.to.opinion) > 0.5f) self.weight *= 0.9f;
///     }
///
/// It has the members of the link that the access list names, and is called once for each link.
template<class Function, class View> struct joining_link : Function::row_members::template tessera_own<Function, View> {
    using tessera_members = typename Function::row_members;
    using tessera_from = link_end<typename Function::row, link_side::from>;
    using tessera_to = link_end<typename Function::row, link_side::to>;

    /// The places that it joins: `self.from.opinion`, as it was before the phase, and `self.from.id`; const. Of links without a direction
    /// `from` is the one with the lower number.
    const joined_place<Function, tessera_from, View> from;
    const joined_place<Function, tessera_to, View> to;

    /// The number of the step that is being made, from 0.
    const std::int64_t step;

    /// This link's random numbers in this call (random.hpp).
    decltype(static_cast<const View*>(nullptr)->random()) random;

    /// A value of the step, as `self.get(total)`. Needs reads<total>.
    template<class Value> TESSERA_FN auto get(Value) const { return value_of_step<Function, Value>(tessera_view_); }

    /// Requests that the link end: the next `manageAll` of its type removes it. Needs dies.
    TESSERA_FN void kill() const {
        static_assert(Function::access::kills, "kill() needs dies in the access list");
        if constexpr (Function::access::kills) tessera_view_.kill();
    }

    // The engine makes it, once a call.
    TESSERA_FN explicit joining_link(const View& view)
        : tessera_members::template tessera_own<Function, View>(view), from(view, view.template end<tessera_from>()),
          to(view, view.template end<tessera_to>()), step(view.step()), random(view.random()), tessera_view_(view) {}
    joining_link(const joining_link&) = delete;
    joining_link& operator=(const joining_link&) = delete;

private:
    View tessera_view_;
};

} // namespace tessera

// Members of a row that is seen at the far end of a link, or of a link.
#define TESSERA_FAR_TYPE(Row, member)                                                                       \
    template<class tessera_View, bool tessera_Shown> struct TESSERA_CAT(far_, member) {                     \
        template<class tessera_At> TESSERA_FN TESSERA_CAT(far_, member)(const tessera_View&, tessera_At) {} \
    };                                                                                                      \
    template<class tessera_View> struct TESSERA_CAT(far_, member)<tessera_View, true> {                     \
        const typename TESSERA_CAT(type_of_, member)::value member;                                         \
        template<class tessera_At>                                                                          \
        TESSERA_FN TESSERA_CAT(far_, member)(const tessera_View& tessera_view, tessera_At at)               \
            : member(tessera_view.template far<TESSERA_CAT(index_, member)>(at)) {}                         \
    };
#define TESSERA_FAR_BASE(Row, member) \
    , TESSERA_CAT(far_, member)<tessera_View, tessera_Function::access::template shows_along<&Row::member, tessera_N>>
#define TESSERA_FAR_INIT(Row, member) \
    , TESSERA_CAT(far_, member)<tessera_View, tessera_Function::access::template shows_along<&Row::member, tessera_N>>(tessera_view, at)
#define TESSERA_FAR_MEMBERS(Row, ...)                                                                             \
    TESSERA_GIVEN_MEMBERS(Row, __VA_ARGS__)                                                                       \
    TESSERA_EACH(TESSERA_FAR_TYPE, Row, __VA_ARGS__)                                                              \
    template<class tessera_Function, class tessera_N, class tessera_View>                                         \
    struct tessera_far : tessera_none TESSERA_EACH(TESSERA_FAR_BASE, Row, __VA_ARGS__) {                          \
        template<class tessera_At>                                                                                \
        TESSERA_FN tessera_far([[maybe_unused]] const tessera_View& tessera_view, [[maybe_unused]] tessera_At at) \
            : tessera_none() TESSERA_EACH(TESSERA_FAR_INIT, Row, __VA_ARGS__) {}                                  \
    };

// TESSERA_LINK(Row, between<Place>, members...), TESSERA_LINK(Row, from<Place>::to<Place>, members...): links have rows of this struct.
// Every member is listed; there may be none. Use it in the struct's own namespace.
#define TESSERA_LINK(Row, Ends, ...)    \
    Ends tessera_find_ends(const Row*); \
    TESSERA_ROW(link, Row, tessera::nowhere, #Row "\0" #__VA_ARGS__ "\0" #Ends, __VA_ARGS__)
