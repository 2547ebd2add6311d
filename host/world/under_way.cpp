#include "host/world/under_way.hpp"

#include <tessera/detail/sent_sums.hpp>

#include <algorithm>
#include <cstring>
#include <utility>

namespace tessera {
namespace {

// The element of a device's column that is this one by steps left.
int element_under_way(const ColumnSetup& column, std::uint64_t step, int element) {
    const int words = column.layout.elements / column.planes;
    const auto plane = (step + static_cast<std::uint64_t>(element / words)) % static_cast<std::uint64_t>(column.planes);
    return static_cast<int>(plane) * words + element % words;
}

template<class T> std::vector<std::byte> rounded_sums(const std::vector<std::uint64_t>& words, std::size_t places) {
    std::vector<std::byte> values(places * sizeof(T));
    for (std::size_t place = 0; place < places; ++place) {
        std::uint64_t of_place[words_of_sum<T>];
        for (std::size_t w = 0; w < words_of_sum<T>; ++w) of_place[w] = words[w * places + place];
        const T value = rounded_sent<T>(of_place);
        std::memcpy(values.data() + place * sizeof(T), &value, sizeof(T));
    }
    return values;
}

std::vector<std::byte> rounded_sums(Scalar type, const std::vector<std::uint64_t>& words, std::size_t places) {
    switch (type) {
    case Scalar::boolean: return rounded_sums<bool>(words, places);
    case Scalar::i8: return rounded_sums<std::int8_t>(words, places);
    case Scalar::u8: return rounded_sums<std::uint8_t>(words, places);
    case Scalar::i16: return rounded_sums<std::int16_t>(words, places);
    case Scalar::u16: return rounded_sums<std::uint16_t>(words, places);
    case Scalar::i32: return rounded_sums<std::int32_t>(words, places);
    case Scalar::u32: return rounded_sums<std::uint32_t>(words, places);
    case Scalar::i64: return rounded_sums<std::int64_t>(words, places);
    case Scalar::u64: return rounded_sums<std::uint64_t>(words, places);
    case Scalar::f32: return rounded_sums<float>(words, places);
    case Scalar::f64: break;
    }
    return rounded_sums<double>(words, places);
}

} // namespace

StateReader by_steps_left(const Setup& setup, std::uint64_t step, StateReader read) {
    if (!setup.has_sent()) return read;
    return [&setup, step, read = std::move(read)](ColumnId column, int element, const PlaceRange& places, std::byte* into) {
        const auto& of = setup[column];
        read(column, of.role == Role::due ? element_under_way(of, step, element) : element, places, into);
    };
}

ArraySource as_devices_have_it(const ColumnSetup& column, std::uint64_t step, ArraySource values) {
    return [column, step, values = std::move(values)](const PlaceRange& places, std::byte* into) {
        const auto plane = static_cast<std::size_t>(places.count()) * size_of(column.layout.type);
        std::vector<std::byte> by_left(plane * static_cast<std::size_t>(column.layout.elements));
        values(places, by_left.data());
        for (int e = 0; e < column.layout.elements; ++e)
            std::memcpy(into + static_cast<std::size_t>(element_under_way(column, step, e)) * plane,
                        by_left.data() + static_cast<std::size_t>(e) * plane, plane);
    };
}

std::vector<std::byte> arriving(const Setup& setup, CollectionId places, const SentMember& sent, int steps_left, const PlaceRange& range,
                                const StateReader& read) {
    const auto& column = setup.collections[places].columns[sent.column];
    const int words = column.layout.elements / column.planes;
    const auto count = static_cast<std::size_t>(range.count());
    std::vector<std::uint64_t> all(count * static_cast<std::size_t>(words));
    for (int w = 0; w < words; ++w)
        read(setup.column_of(places, sent.column), steps_left * words + w, range,
             reinterpret_cast<std::byte*>(all.data() + static_cast<std::size_t>(w) * count));
    if (std::all_of(all.begin(), all.end(), [](std::uint64_t word) { return word == 0; })) return {};
    auto values = rounded_sums(setup.collections[places].columns[sent.member].layout.type, all, count);
    if (std::all_of(values.begin(), values.end(), [](std::byte byte) { return byte == std::byte{0}; })) values.clear();
    return values;
}

} // namespace tessera
