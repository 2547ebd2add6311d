// SPDX-License-Identifier: Apache-2.0
// TESSERA_UNIFORM: what its body works on, what its readers get, and its record.
#pragma once

#include <tessera/detail/access_list.hpp>
#include <tessera/detail/describe.hpp>
#include <tessera/detail/view.hpp>

namespace tessera {

inline constexpr int most_uniform_values = 64;

template<class Uniform> using scalar_of_uniform = typename member_type<typename Uniform::tessera_declared>::scalar;
template<class Uniform> inline constexpr int elements_of_uniform = member_type<typename Uniform::tessera_declared>::elements;
template<class T> inline constexpr bool is_array = false;
template<class T, int N> inline constexpr bool is_array<T[N]> = true;

// An array of the step, of which a function loads the elements that it asks for: `self.get(chance)[i]`.
template<class T, int N, T (*Load)(const T*)> struct uniform_values {
    const T* values;
#if defined(TESSERA_CHECKED)
    T operator[](const noted_index& i) const { return Load(values + index_within(i, N)); }
#else
    TESSERA_FN T operator[](int i) const { return Load(values + i); }
#endif
    static constexpr int size() { return N; }
};

// In place of self.random.
template<class Uniform> struct no_random_numbers {
#define TESSERA_NO_DRAW(name)                                                                                                  \
    template<class... Arguments> TESSERA_FN float name(const Arguments&...) const {                                            \
        static_assert(sizeof...(Arguments) > 99, "a uniform has no random numbers: it is the same for all places and agents"); \
        return 0;                                                                                                              \
    }
    TESSERA_NO_DRAW(bits)
    TESSERA_NO_DRAW(uniform)
    TESSERA_NO_DRAW(uniform64)
    TESSERA_NO_DRAW(below)
    TESSERA_NO_DRAW(bernoulli)
    TESSERA_NO_DRAW(normal)
#undef TESSERA_NO_DRAW
};

// `self` of a uniform.
template<class Uniform, class View> struct uniform_self {
    /// The number of the step that it is made for, from 0.
    const std::int64_t step;

    /// Which element of its array is asked for, from 0.
    const int index;

    no_random_numbers<Uniform> random;

    /// A value of the step, that TESSERA_GLOBAL or TESSERA_UNIFORM declares: `self.get(total)`. Needs reads<total>.
    template<class Value> TESSERA_FN auto get(Value) const { return value_of_step<Uniform, Value>(tessera_view_); }

    // The engine makes it.
    TESSERA_FN uniform_self(const View& view, std::int64_t number, int element)
        : step(number), index(element), random(), tessera_view_(view) {}
    uniform_self(const uniform_self&) = delete;
    uniform_self& operator=(const uniform_self&) = delete;

private:
    View tessera_view_;
};

template<class T, int Values, int Text> struct uniform_record {
    record_header header;
    member_record<T> value;
    std::uint64_t values[Values > 0 ? Values : 1];
    char text[Text]; // name and access list, each ended by a zero
};
template<class Uniform, int Text> constexpr auto describe_uniform(declared_at at, const char (&text)[Text]) {
    using declared = typename Uniform::tessera_declared;
    constexpr int values = Uniform::access::globals;
    static_assert(elements_of_uniform<Uniform> <= most_uniform_values, "TESSERA_UNIFORM(type[n], name) takes at most 64 values");
    static_assert(scalar_code<scalar_of_uniform<Uniform>> > scalar_code<bool>,
                  "TESSERA_UNIFORM(type, name) takes float, double, an integer of 8 to 64 bits, or an array of these");
    static_assert(Uniform::access::is_for_uniforms,
                  "the list of a uniform reads what TESSERA_GLOBAL or TESSERA_UNIFORM declares, and nothing else: it is the same for all "
                  "places and agents, and has no members");
    uniform_record<declared, values, Text> record{
        header_of(record_kind::uniform, at, 0, values > 0 ? values : 1), member_record<declared>(declared{}), {}, {}};
    Uniform::access::put_globals(record.values);
    for (int i = 0; i < Text; ++i) record.text[i] = text[i];
    return record;
}

} // namespace tessera
