// A column as it stands on a device, ghosts included, made from and taken apart into dense values on the host.
#pragma once

#include "host/array.hpp"
#include "host/run_file/run_file.hpp"
#include "host/setup/layout.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace tessera {

class ThreadPool;

// `buffer` gets the values and the ghost frame around them: torus and reflect repeat places, fixed axes hold `outside`, and open ones,
// which win where a ghost is beyond both, `missing`.
void fill_frame(std::vector<std::byte>& buffer, const Layout& layout, int dimensions, const std::array<run_file::Boundary, 3>& boundary,
                const Array& values, const std::vector<std::byte>& outside, const std::vector<std::byte>& missing, ThreadPool& pool);

// The values of places, in the order of an Array.
void take_places(const std::byte* buffer, const Layout& layout, Array& values, ThreadPool& pool);

} // namespace tessera
