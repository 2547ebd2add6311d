// How a compiled model carries its own description: constant records of flat bytes that the host finds by name in the image.
//
// Each record is one constant whose symbol contains `tessera_record_`, begins with a record_header, and holds no pointers, so that it
// can be read from an object file or a cubin without running it. The reader is host/model/description.cpp; change both together.
#pragma once

#include <tessera/access.hpp>
#include <tessera/macros.hpp>
#include <tessera/member.hpp>

#if TESSERA_GPU
#define TESSERA_RECORD_MEMORY __device__
#else
#define TESSERA_RECORD_MEMORY __attribute__((used))
#endif

#if defined(TESSERA_KERNELS) // the description is made by itself, and before
#define TESSERA_RECORD(Type, name, ...)
#else
#define TESSERA_RECORD(Type, name, ...)                   \
    extern const Type TESSERA_CAT(tessera_record_, name); \
    TESSERA_RECORD_MEMORY constexpr Type TESSERA_CAT(tessera_record_, name) = __VA_ARGS__;
#endif

namespace tessera {

enum class record_kind : std::uint32_t { place = 1, call = 2, init = 3, parameter = 4, model = 5, defaults = 6, doc = 7 };

struct record_header {
    char magic[8]; // "TESSERA1": the last character is the format
    record_kind kind;
    std::uint32_t line;  // of the macro, in its file: the order of declaration
    std::uint32_t size;  // of the row in bytes, where the record is about one
    std::uint32_t count; // of the entries that follow
    constexpr record_header(record_kind kind_, std::uint32_t line_, std::uint32_t size_, std::uint32_t count_)
        : magic{'T', 'E', 'S', 'S', 'E', 'R', 'A', '1'}, kind(kind_), line(line_), size(size_), count(count_) {}
};

// A member of a row: type, number of elements, default value.
template<class T> struct alignas(8) member_record {
    std::uint32_t scalar, elements;
    typename member_type<T>::value initial;
    constexpr explicit member_record(const T& value)
        : scalar(scalar_code<typename member_type<T>::scalar>), elements(member_type<T>::elements), initial(copy_member(value)) {}
};

// How a function uses a member: bits, and the reach for grids of 1, 2 and 3 dimensions.
struct use_record {
    std::uint8_t bits;
    std::uint8_t low[3][3], high[3][3]; // [dims - 1][axis]
};

template<class Members, class Access, int I> constexpr use_record use_of() {
    constexpr auto member = Members::template pointer_to<I>();
    use_record use{};
    use.bits = Access::template bits<member>;
    const reach_of_member reaches[3] = {Access::template reach<member, 1>(), Access::template reach<member, 2>(),
                                        Access::template reach<member, 3>()};
    static_assert(Access::template reach<member, 3>().within(255), "an offset is at most 255 places along each axis");
    for (int dims = 0; dims < 3; ++dims)
        for (int axis = 0; axis < 3; ++axis) {
            use.low[dims][axis] = static_cast<std::uint8_t>(reaches[dims].low[axis]);
            use.high[dims][axis] = static_cast<std::uint8_t>(reaches[dims].high[axis]);
        }
    return use;
}

template<int Members, int Text> struct function_record {
    record_header header;
    use_record uses[Members];
    char text[Text]; // row, function, access list, each ended by a zero
};
template<class Function, int Text, int... I>
constexpr function_record<sizeof...(I), Text> describe_function(record_kind kind, std::uint32_t line, const char (&text)[Text],
                                                                index_list<I...>) {
    function_record<sizeof...(I), Text> record{record_header(kind, line, sizeof(typename Function::row), sizeof...(I)),
                                               {use_of<typename Function::row_members, typename Function::access, I>()...},
                                               {}};
    for (int i = 0; i < Text; ++i) record.text[i] = text[i];
    return record;
}

template<int Text> struct text_record {
    record_header header;
    char text[Text];
};
template<int Text> constexpr text_record<Text> describe_text(record_kind kind, std::uint32_t line, const char (&text)[Text]) {
    text_record<Text> record{record_header(kind, line, 0, 0), {}};
    for (int i = 0; i < Text; ++i) record.text[i] = text[i];
    return record;
}

// What a parameter may be set to, ends included.
struct range {
    double low, high;
    constexpr range(double low_, double high_) : low(low_), high(high_) {}
};

template<class T, int Text> struct parameter_record {
    record_header header;
    double low, high; // low > high: any value
    member_record<T> value;
    char text[Text]; // name and doc, each ended by a zero
};
template<class T, int Name, int Doc = 1>
constexpr parameter_record<T, Name + Doc> describe_parameter(std::uint32_t line, const T& value, const char (&name)[Name], range allowed,
                                                             const char (&doc)[Doc] = "") {
    parameter_record<T, Name + Doc> record{
        record_header(record_kind::parameter, line, 0, 1), allowed.low, allowed.high, member_record<T>(value), {}};
    for (int i = 0; i < Name; ++i) record.text[i] = name[i];
    for (int i = 0; i < Doc; ++i) record.text[Name + i] = doc[i];
    return record;
}
template<class T, int Name, int Doc = 1>
constexpr auto describe_parameter(std::uint32_t line, const T& value, const char (&name)[Name], const char (&doc)[Doc] = "") {
    return describe_parameter(line, value, name, range(1, 0), doc);
}

} // namespace tessera
