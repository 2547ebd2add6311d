// SPDX-License-Identifier: Apache-2.0
// How a compiled model carries its own description: the records of records.hpp, made from what the macros are given.
#pragma once

#include <tessera/detail/access_list.hpp>
#include <tessera/detail/macros.hpp>
#include <tessera/detail/member.hpp>
#include <tessera/detail/name_hash.hpp>
#include <tessera/detail/records.hpp>

#if TESSERA_GPU
#define TESSERA_RECORD_MEMORY __device__
#else
#define TESSERA_RECORD_MEMORY __attribute__((used))
#endif

// TESSERA_RECORD(name, value) is a constant `tessera_record_<name>`. TESSERA_RECORDS(name, text, value) is one of several of that name,
// that of this line and text: a variable template, for the preprocessor cannot make a name that no other file's macro makes too.
#if defined(TESSERA_KERNELS) // the description is made by itself, and before
#define TESSERA_RECORD_OF(Type, name, ...)
#define TESSERA_RECORDS(name, text, ...)
#else
#define TESSERA_RECORD_OF(Type, name, ...)                \
    extern const Type TESSERA_CAT(tessera_record_, name); \
    TESSERA_RECORD_MEMORY constexpr Type TESSERA_CAT(tessera_record_, name) = __VA_ARGS__;
#define TESSERA_RECORDS(name, text, ...)                                         \
    template<std::uint64_t> extern const int TESSERA_CAT(tessera_record_, name); \
    template<>                                                                   \
    TESSERA_RECORD_MEMORY constexpr decltype(__VA_ARGS__) TESSERA_CAT(tessera_record_, name)<TESSERA_HERE.key(text)> = __VA_ARGS__;
#endif
#define TESSERA_RECORD(name, ...) TESSERA_RECORD_OF(decltype(__VA_ARGS__), name, __VA_ARGS__)

#define TESSERA_HERE (tessera::declared_at{tessera::name_hash(__FILE__), __LINE__})

namespace tessera {

// Where a macro of the model stands. (No compiler but NVRTC lacks __COUNTER__, which would number the macros of all files.)
struct declared_at {
    std::uint64_t file;
    std::uint32_t line;
    // Another one for every record: of two on one line, the text differs.
    constexpr std::uint64_t key(const char* text) const { return (file + line) * 0x9e3779b97f4a7c15 ^ name_hash(text); }
};

constexpr record_header header_of(record_kind kind, declared_at at, std::uint32_t size, std::uint32_t count) {
    record_header header{{}, kind, at.line, size, count, at.file};
    for (int i = 0; i < 8; ++i) header.magic[i] = record_magic[i];
    return header;
}

// A member of a row: type, number of elements, default value.
template<class T> struct alignas(8) member_record {
    std::uint32_t scalar, elements;
    typename member_type<T>::value initial;
    constexpr explicit member_record(const T& value)
        : scalar(scalar_code<typename member_type<T>::scalar>), elements(member_type<T>::elements), initial(copy_member(value)) {}
};

constexpr void put_reach(std::uint8_t (&low)[3][3], std::uint8_t (&high)[3][3], const reach_of_member (&reaches)[3]) {
    for (int dims = 0; dims < 3; ++dims)
        for (int axis = 0; axis < 3; ++axis) {
            low[dims][axis] = static_cast<std::uint8_t>(reaches[dims].low[axis]);
            high[dims][axis] = static_cast<std::uint8_t>(reaches[dims].high[axis]);
        }
}

template<class Members, class Access, int I> constexpr use_record use_of() {
    constexpr auto member = Members::template pointer_to<I>();
    use_record use{};
    constexpr int bits = Access::template bits<member>;
    use.bits = (bits & access_around) != 0 && Access::template is_along_axes<member> ? bits | access_along_axes : bits;
    const reach_of_member reaches[3] = {Access::template reach<member, 1>(), Access::template reach<member, 2>(),
                                        Access::template reach<member, 3>()};
    static_assert(Access::template reach<member, 3>().within(255), "an offset is at most 255 places along each axis");
    put_reach(use.low, use.high, reaches);
    return use;
}

template<int Members, int Links, int Values, int Text> struct function_record {
    record_header header;
    function_counts others;
    use_record uses[Members > 0 ? Members : 1];
    link_use_record links[Links > 0 ? Links : 1];  // likewise
    std::uint64_t values[Values > 0 ? Values : 1]; // there is one at least, 0
    char text[Text];                               // row, function, access list, each ended by a zero
};
template<class Function, int Text, int... I>
constexpr auto describe_function(record_kind kind, declared_at at, const char (&text)[Text], index_list<I...>) {
    check_list_of_places<Function>();
    constexpr bool dies = Function::access::kills && are_links<typename Function::row>;
    constexpr int links = Function::access::link_records + (dies ? 1 : 0), values = Function::access::globals;
    function_record<sizeof...(I), links, values, Text> record{header_of(kind, at, sizeof(typename Function::row), sizeof...(I)),
                                                              {0, 0, links > 0 ? links : 1, values > 0 ? values : 1},
                                                              {use_of<typename Function::row_members, typename Function::access, I>()...},
                                                              {},
                                                              {},
                                                              {}};
    Function::access::template put_links<typename Function::row>(record.links);
    Function::access::put_globals(record.values);
    for (int i = 0; i < Text; ++i) record.text[i] = text[i];
    return record;
}

template<int Text> struct text_record {
    record_header header;
    char text[Text];
};
template<int Text> constexpr text_record<Text> describe_text(record_kind kind, declared_at at, const char (&text)[Text]) {
    text_record<Text> record{header_of(kind, at, 0, 0), {}};
    for (int i = 0; i < Text; ++i) record.text[i] = text[i];
    return record;
}

template<class T, int Text> struct value_record {
    record_header header;
    member_record<T> value;
    char text[Text]; // name and doc, each ended by a zero
};
template<class T, int Name, int Doc = 1>
constexpr value_record<T, Name + Doc> describe_value(declared_at at, const char (&name)[Name], const char (&doc)[Doc] = "") {
    static_assert(scalar_code<T> > scalar_code<bool>, "TESSERA_GLOBAL(type, name) takes float, double, or an integer of 8 to 64 bits");
    value_record<T, Name + Doc> record{header_of(record_kind::value, at, 0, 1), member_record<T>(T{}), {}};
    for (int i = 0; i < Name; ++i) record.text[i] = name[i];
    for (int i = 0; i < Doc; ++i) record.text[Name + i] = doc[i];
    return record;
}
template<class T, int Name, class... Others>
constexpr value_record<T, Name + 1> describe_value(declared_at at, const char (&name)[Name], const Others&...) {
    static_assert(sizeof(T) == 0,
                  "TESSERA_GLOBAL(type, name, \"what it is\") takes no initial value: it is 0 until a phase \"reduce\" makes it");
    return describe_value<T>(at, name);
}

// What a parameter may be set to, ends included.
struct range {
    double low, high;
    constexpr range(double low_, double high_) : low(low_), high(high_) {}
};

// Whether an integer type has this value.
template<class T, class V> constexpr bool is_value_of(const V& value) {
    if constexpr (T(1) / 2 != T(0) || T(2) == T(1)) // real, or bool
        return true;
    else
        return static_cast<V>(static_cast<T>(value)) == value && (static_cast<T>(value) < T(0)) == (value < V(0));
}

template<class T, int Text> struct parameter_record {
    record_header header;
    double low, high; // 1 and 0: any value
    member_record<T> value;
    char text[Text]; // name and doc, each ended by a zero
};
template<class T, int Name, int Doc = 1>
constexpr parameter_record<T, Name + Doc> describe_parameter(declared_at at, const T& value, const char (&name)[Name], range allowed,
                                                             const char (&doc)[Doc] = "") {
    parameter_record<T, Name + Doc> record{
        header_of(record_kind::parameter, at, 0, 1), allowed.low, allowed.high, member_record<T>(value), {}};
    for (int i = 0; i < Name; ++i) record.text[i] = name[i];
    for (int i = 0; i < Doc; ++i) record.text[Name + i] = doc[i];
    return record;
}
template<class T, int Name, int Doc = 1>
constexpr auto describe_parameter(declared_at at, const T& value, const char (&name)[Name], const char (&doc)[Doc] = "") {
    return describe_parameter(at, value, name, range(1, 0), doc);
}

} // namespace tessera
