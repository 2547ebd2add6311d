#include "host/outputs/npy.hpp"

#include "host/outputs/output_file.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <memory>
#include <string>
#include <vector>

namespace tessera {
namespace {

static_assert(std::bit_cast<std::uint32_t>(std::numeric_limits<float>::quiet_NaN()) == 0x7fc00000u);
static_assert(std::bit_cast<std::uint64_t>(std::numeric_limits<double>::quiet_NaN()) == 0x7ff8000000000000u);

std::string type_text(Scalar type) {
    const std::size_t bytes = size_of(type);
    const char kind = type == Scalar::boolean                                                       ? 'b'
                      : type == Scalar::f32 || type == Scalar::f64                                  ? 'f'
                      : with_type(type, [](auto zero) { return std::is_signed_v<decltype(zero)>; }) ? 'i'
                                                                                                    : 'u';
    return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

// A tuple of one value keeps its comma; the whole header is padded to 64 bytes and ends in a line feed, as the format asks.
std::string header_of(const Array& array) {
    std::vector<std::int64_t> shape;
    for (int axis = array.dimensions - 1; axis >= 0; --axis) shape.push_back(array.size[axis]);
    if (array.elements > 1) shape.push_back(array.elements);
    std::string text = fmt::format("{{'descr': '{}', 'fortran_order': False, 'shape': ({}{}), }}", type_text(array.type),
                                   fmt::join(shape, ", "), shape.size() == 1 ? "," : "");
    constexpr std::size_t prefix = 10, alignment = 64;
    text.resize((prefix + text.size() + 1 + alignment - 1) / alignment * alignment - prefix - 1, ' ');
    text += '\n';
    const auto length = static_cast<unsigned>(text.size());
    std::string start = "\x93NUMPY";
    for (const unsigned byte : {1u, 0u, length & 0xffu, length >> 8}) start += static_cast<char>(byte);
    return start + text;
}

template<class T> T canonical(T value) {
    if constexpr (std::is_floating_point_v<T>)
        return std::isnan(value) ? std::numeric_limits<T>::quiet_NaN() : value;
    else
        return value;
}

// Place by place, the elements of each together.
template<class T> void write_values(OutputFile& file, const Array& array) {
    const auto values = array.data<T>();
    if (array.elements == 1 && !std::is_floating_point_v<T>) return file.write(values.data(), values.size_bytes());
    constexpr std::size_t chunk_values = std::size_t{1} << 16;
    const auto elements = static_cast<std::size_t>(array.elements), places = values.size() / elements;
    const std::size_t chunk_places = std::max<std::size_t>(1, chunk_values / elements);
    const auto chunk = std::make_unique<T[]>(chunk_places * elements); // no std::vector: one of bool has no data()
    for (std::size_t begin = 0; begin < places; begin += chunk_places) {
        const std::size_t end = std::min(begin + chunk_places, places);
        T* next = chunk.get();
        for (std::size_t place = begin; place < end; ++place)
            for (std::size_t k = 0; k < elements; ++k) *next++ = canonical(values[k * places + place]);
        file.write(chunk.get(), static_cast<std::size_t>(next - chunk.get()) * sizeof(T));
    }
}

} // namespace

void write_npy(const FilePlace& place, const Array& array) {
    if (array.dimensions < 1 || array.dimensions > 3)
        throw Error(Failure::internal, fmt::format("an array of {} dimensions was to be written", array.dimensions));
    OutputFile file(place);
    const std::string header = header_of(array);
    file.write(header.data(), header.size());
    with_type(array.type, [&](auto zero) { write_values<decltype(zero)>(file, array); });
    file.commit();
}

} // namespace tessera
