// In a checked run a function that sets members without reading them is called twice. The first call is a trial: what it stores and asks
// for goes nowhere, and these members begin with another value than their default. What the second call stores otherwise than the trial
// was not assigned, or not on all of its way.
#pragma once

#include <tessera/kernels/launch/checked_view.hpp>

#if defined(TESSERA_CHECKED)
namespace tessera {

template<class Members, int I>
using value_of_member = typename member_type<typename pointed_to<decltype(Members::template pointer_to<I>())>::type>::value;

// What a trial has stored.
template<class Members, int I> struct trial_result { value_of_member<Members, I> value{}; };
template<class Members, class Indices> struct trial_results_of;
template<class Members, int... I> struct trial_results_of<Members, index_list<I...>> : trial_result<Members, I>... {
    bool dies = false; // of an agent
};
template<class Function>
using trial_results = trial_results_of<typename Function::row_members, indices_to<Function::row_members::member_count>>;

template<class Function, int I> constexpr bool is_set_alone() {
    constexpr int bits = Function::access::template bits<Function::row_members::template pointer_to<I>()>;
    return (bits & (access_write | access_read)) == access_write;
}
template<class Function, int... I> constexpr bool sets_alone(index_list<I...>) { return (is_set_alone<Function, I>() || ... || false); }

template<class T> TESSERA_FN T other_than(const T& value) {
    if constexpr (T(1) / 2 != T(0)) // real; NaN is neither
        return value == T(1) ? T(2) : T(1);
    else if constexpr (same_type<T, bool>)
        return !value;
    else
        return static_cast<T>(value ^ 1);
}
template<class T, int N> TESSERA_FN fixed_array<T, N> other_than(const fixed_array<T, N>& values) {
    fixed_array<T, N> others{};
    for (int e = 0; e < N; ++e) others.values[e] = other_than(values.values[e]);
    return others;
}

// The place that an agent stands on.
template<class Ground> struct trial_ground : Ground {
    TESSERA_FN explicit trial_ground(const Ground& ground) : Ground(ground) {}
    template<int I, class Value> TESSERA_FN void store(const Value&) const {}
    template<int I, int Bits, class Folded> TESSERA_FN void fold(const Folded&) const {}
};
template<class View> struct view_without_ground : View {
    TESSERA_FN explicit view_without_ground(const View& view) : View(view) {}
};
template<class View>
requires requires(const View& view) { view.ground(); }
struct view_without_ground<View> : View {
    using ground_view = trial_ground<typename View::ground_view>;
    TESSERA_FN explicit view_without_ground(const View& view) : View(view) {}
    TESSERA_FN ground_view ground() const { return ground_view(View::ground()); }
};

template<class Function, class View> struct trial_view : view_without_ground<View> {
    using members = typename Function::row_members;
    using position_type = decltype(static_cast<const View*>(nullptr)->position());

    TESSERA_FN trial_view(const View& view, trial_results<Function>& results) : view_without_ground<View>(view), results_(&results) {}

    template<class T> TESSERA_FN T instead_of(const T& value) const { return other_than(value); }
    template<int I, class Value> TESSERA_FN void store(const Value& value) const {
        static_cast<trial_result<members, I>&>(*results_).value = value;
    }
    TESSERA_FN void die() const { results_->dies = true; }
    TESSERA_FN bool dying() const { return results_->dies || View::dying(); }

    TESSERA_FN void kill() const {}
    template<class... Wishes> TESSERA_FN void spawn(const Wishes&...) const {}
    template<class... Wishes> TESSERA_FN void spawn_at(const Wishes&...) const {}
    TESSERA_FN void want(place_offset) const {}
    TESSERA_FN void want_declared(place_offset) const {}
    TESSERA_FN void want_place(std::int64_t, std::int64_t, std::int64_t) const {}
    TESSERA_FN void want_number(std::int64_t) const {}
    TESSERA_FN void want_position(position_type, double) const {}
    template<class N, int I, int Folds, class T> TESSERA_FN void give(std::int64_t, T, std::int64_t) const {}

private:
    trial_results<Function>* results_;
};

template<class T> TESSERA_FN const T& element_at(const T& value, int) { return value; }
template<class T, int N> TESSERA_FN const T& element_at(const fixed_array<T, N>& values, int e) { return values.values[e]; }
template<class T> TESSERA_FN bool is_same_value(const T& a, const T& b) { return a == b || (a != a && b != b); }

// Of the second call.
template<class Function, class View> struct assigning_view : View {
    using members = typename Function::row_members;

    TESSERA_FN assigning_view(const View& view, const trial_results<Function>& trial) : View(view), trial_(&trial) {}

    template<int I, class Value> TESSERA_FN void store(const Value& value) const {
        if constexpr (is_set_alone<Function, I>()) expect_assigned<I>(value);
        View::template store<I>(value);
    }

private:
    // Where the value was the default already nothing is lost.
    template<int I, class Value> TESSERA_FN void expect_assigned(const Value& value) const {
        constexpr int elements = member_type<typename pointed_to<decltype(members::template pointer_to<I>())>::type>::elements;
        const auto& tried = static_cast<const trial_result<members, I>&>(*trial_).value;
        const auto read_nan = running_call().read_nan;
        const auto before = View::template own<I>();
        running_call().read_nan = read_nan;
        const auto initial = members::template tessera_default_of<I>();
        for (int e = 0; e < elements; ++e) {
            if (is_same_value(element_at(value, e), element_at(tried, e)) || is_same_value(element_at(before, e), element_at(initial, e)))
                continue;
            mistake_record found{};
            found.member = I;
            found.left = value_to_tell(element_at(before, e));
            found.right = value_to_tell(element_at(initial, e));
            leave_with(mistake::unassigned, found, {});
        }
    }

    const trial_results<Function>* trial_;
};

// `through(view)` is one call of Function.
template<class Function, class View, class Through> TESSERA_FN void call_checked(const View& view, Through&& through) {
    if constexpr (sets_alone<Function>(indices_to<Function::row_members::member_count>{})) {
        trial_results<Function> trial;
        through(trial_view<Function, View>(view, trial));
        running_call().read_nan = 0;
        through(assigning_view<Function, View>(view, trial));
    } else
        through(view);
}

} // namespace tessera
#endif
