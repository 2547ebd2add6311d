#include "host/outputs/npy.hpp"

#include "host/outputs/canonical.hpp"
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

std::string header_of(const ArrayShape& array) {
    std::vector<std::int64_t> shape;
    for (int axis = array.dimensions - 1; axis >= 0; --axis) shape.push_back(array.size[axis]);
    if (array.elements > 1) shape.push_back(array.elements);
    return npy_header(fmt::format("'{}'", npy_type(array.type)),
                      fmt::format("({}{})", fmt::join(shape, ", "), shape.size() == 1 ? "," : ""));
}

// Place by place, the elements of each together; `planes` has those of `places` places of each element.
template<class T> void write_values(OutputFile& file, const std::vector<const std::byte*>& planes, std::size_t places) {
    const auto elements = planes.size();
    if (elements == 1 && !std::is_floating_point_v<T>) return file.write(planes.front(), places * sizeof(T));
    constexpr std::size_t chunk_values = std::size_t{1} << 16;
    const std::size_t chunk_places = std::max<std::size_t>(1, chunk_values / elements);
    const auto chunk = std::make_unique<T[]>(chunk_places * elements); // no std::vector: one of bool has no data()
    for (std::size_t begin = 0; begin < places; begin += chunk_places) {
        const std::size_t end = std::min(begin + chunk_places, places);
        T* next = chunk.get();
        for (std::size_t place = begin; place < end; ++place)
            for (const auto* plane : planes) *next++ = canonical(reinterpret_cast<const T*>(plane)[place]);
        file.write(chunk.get(), static_cast<std::size_t>(next - chunk.get()) * sizeof(T));
    }
}

} // namespace

std::string npy_type(Scalar type) {
    const std::size_t bytes = size_of(type);
    const char kind = type == Scalar::boolean                                                       ? 'b'
                      : type == Scalar::f32 || type == Scalar::f64                                  ? 'f'
                      : with_type(type, [](auto zero) { return std::is_signed_v<decltype(zero)>; }) ? 'i'
                                                                                                    : 'u';
    return fmt::format("{}{}{}", bytes == 1 ? '|' : '<', kind, bytes);
}

// A tuple of one value keeps its comma; the whole header is padded to 64 bytes and ends in a line feed, as the format asks.
std::string npy_header(const std::string& description, const std::string& shape) {
    std::string text = fmt::format("{{'descr': {}, 'fortran_order': False, 'shape': {}, }}", description, shape);
    constexpr std::size_t prefix = 10, alignment = 64, longest = 0xffff;
    text.resize((prefix + text.size() + 1 + alignment - 1) / alignment * alignment - prefix - 1, ' ');
    text += '\n';
    if (text.size() > longest)
        throw Error(Failure::output, "a row has too many members for an NPY file", "its heading has 65535 bytes", "write a CSV file");
    const auto length = static_cast<unsigned>(text.size());
    std::string start = "\x93NUMPY";
    for (const unsigned byte : {1u, 0u, length & 0xffu, length >> 8}) start += static_cast<char>(byte);
    return start + text;
}

void write_npy(const FilePlace& place, const ArrayShape& shape, const PlaneSource& planes, std::int64_t places_at_a_time) {
    if (shape.dimensions < 1 || shape.dimensions > 3)
        throw Error(Failure::internal, fmt::format("an array of {} dimensions was to be written", shape.dimensions));
    OutputFile file(place);
    const std::string header = header_of(shape);
    file.write(header.data(), header.size());
    for_each_piece(shape.places(), places_at_a_time, [&](const PlaceRange& places) {
        std::vector<const std::byte*> parts;
        for (int e = 0; e < shape.elements; ++e) parts.push_back(planes(e, places));
        with_type(shape.type, [&](auto zero) { write_values<decltype(zero)>(file, parts, static_cast<std::size_t>(places.count())); });
    });
    file.commit();
}

void write_npy(const FilePlace& place, const Array& array) {
    const auto plane = static_cast<std::size_t>(array.places()) * size_of(array.type);
    write_npy(
        place, array, [&](int element, const PlaceRange&) { return array.bytes.data() + static_cast<std::size_t>(element) * plane; },
        array.places());
}

} // namespace tessera
