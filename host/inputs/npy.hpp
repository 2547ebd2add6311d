// Arrays in NumPy's .npy format (numpy.org/doc/stable/reference/generated/numpy.lib.format.html), versions 1 to 3.
#pragma once

#include "host/array.hpp"

#include <filesystem>

namespace tessera {

// Shapes (nx), (ny, nx) and (nz, ny, nx), and a last axis of `elements` behind these if that is more than 1; either byte order,
// C and Fortran order; bool, integers of 1 to 8 bytes, float and double. Throws Failure::input naming the file and what was found.
[[nodiscard]] Array read_npy(const std::filesystem::path& path, int elements = 1);

} // namespace tessera
