// What stands between a function and its view in a checked run: it sees whether the function stores what is not a number although it read
// none.
#pragma once

#include <tessera/self.hpp>

#if defined(TESSERA_CHECKED)
namespace tessera {

template<class T> TESSERA_FN bool has_nan(const T& value) {
    if constexpr (same_type<T, float> || same_type<T, double>)
        return value != value;
    else
        return false;
}
template<class T, int N> TESSERA_FN bool has_nan(const fixed_array<T, N>& values) {
    bool any = false;
    for (int e = 0; e < N; ++e) any |= has_nan(values.values[e]);
    return any;
}
template<class T> TESSERA_FN const T& noted_as_read(const T& value) {
    if (has_nan(value)) running_call().read_nan = 1;
    return value;
}
TESSERA_FN void expect_number(bool is_nan, int member, bool of_ground) {
    if (!is_nan || running_call().read_nan != 0) return;
    mistake_record found{};
    found.member = member;
    found.of_ground = of_ground ? 1 : 0;
    leave_with(mistake::not_a_number, found, {});
}

// A place's number in the order of x, then y, then z.
TESSERA_FN std::int64_t number_within(const place_position& size, std::int64_t x, std::int64_t y, std::int64_t z) {
    return (z * size.y + y) * size.x + x;
}

// OfGround: of the places that the function's agents stand on.
template<class Members, class View, bool OfGround> struct checked_view : View {
    TESSERA_FN explicit checked_view(const View& view) : View(view) {}

    template<int I> TESSERA_FN auto own() const { return noted_as_read(View::template own<I>()); }
    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const { return noted_as_read(View::template at<I, X, Y, Z>()); }
    template<int I, class At> TESSERA_FN auto seen(const At& at) const { return noted_as_read(View::template seen<I>(at)); }
    template<class Value> TESSERA_FN auto global() const { return noted_as_read(View::template global<Value>()); }
    template<int I, class Value> TESSERA_FN void store(const Value& value) const {
        expect_number(has_nan(value), I, OfGround);
        View::template store<I>(value);
    }
    template<int I, int Bits, class Folded> TESSERA_FN void fold(const Folded& member) const {
        constexpr int elements = member_type<typename pointed_to<decltype(Members::template pointer_to<I>())>::type>::elements;
        for (int e = 0; e < elements; ++e) expect_number(has_nan(folded_element(member, e)), I, OfGround);
        View::template fold<I, Bits>(member);
    }
    template<class Row, class N, class See, class Visit> TESSERA_FN void meet_over(See&& see, Visit&& visit) const {
        View::template meet_over<Row, N>([&](const auto& met, auto slot) { return see(checked(met), slot); }, visit);
    }
    template<class Row, class N, class See, class Visit> TESSERA_FN void meet_within(See&& see, Visit&& visit) const {
        View::template meet_within<Row, N>([&](const auto& met, auto slot, const auto& way) { return see(checked(met), slot, way); },
                                           visit);
    }

private:
    template<class Met> TESSERA_FN static auto checked(const Met& met) { return checked_view<typename Met::members, Met, false>(met); }
};

} // namespace tessera
#endif
