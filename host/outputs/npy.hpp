// Arrays into NumPy's .npy format, version 1.0.
#pragma once

#include "host/array.hpp"
#include "host/outputs/file_place.hpp"

namespace tessera {

// Little-endian, C order; the shape is (nx), (ny, nx) or (nz, ny, nx) as the array has dimensions, with a last axis for the
// elements of an array member. NaNs are written as 0x7fc00000 and 0x7ff8000000000000. The file appears whole or not at all.
// Throws Failure::output naming the file and the reason.
void write_npy(const FilePlace& place, const Array& array);

} // namespace tessera
