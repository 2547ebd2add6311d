// Arrays into NumPy's .npy format, version 1.0.
#pragma once

#include "host/array.hpp"
#include "host/outputs/file_place.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace tessera {

// Values of places of one element of an array; they last until the same places of each element were asked for.
using PlaneSource = std::function<const std::byte*(int element, const PlaceRange& places)>;

// Little-endian, C order; the shape is (nx), (ny, nx) or (nz, ny, nx) as the array has dimensions, with a last axis for the
// elements of an array member. NaNs are written as 0x7fc00000 and 0x7ff8000000000000. The file appears whole or not at all.
// The values are asked for in order, so many places at a time. Throws Failure::output naming the file and the reason.
void write_npy(const FilePlace& place, const ArrayShape& shape, const PlaneSource& planes, std::int64_t places_at_a_time);
void write_npy(const FilePlace& place, const Array& array);

// "<f4": a type as NumPy writes it.
[[nodiscard]] std::string npy_type(Scalar type);

// What stands before the values: `description` and `shape` as Python writes them, "'<f4'" and "(3, 4)".
[[nodiscard]] std::string npy_header(const std::string& description, const std::string& shape);

} // namespace tessera
