// Arrays in NumPy's .npy format (numpy.org/doc/stable/reference/generated/numpy.lib.format.html), versions 1 to 3.
#pragma once

#include "host/array.hpp"
#include "host/inputs/input_file.hpp"

#include <filesystem>

namespace tessera {

// Shapes (nx), (ny, nx) and (nz, ny, nx), and a last axis of `elements` behind these if that is more than 1; either byte order,
// C and Fortran order; bool, integers of 1 to 8 bytes, and floating-point numbers of 2 (which become float), 4 and 8. Throws Failure::input
// naming the file and what was found.
[[nodiscard]] Array read_npy(const std::filesystem::path& path, int elements = 1, const SizeCheck& check_size = {});

} // namespace tessera
