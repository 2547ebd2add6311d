// Kernels of places whose threads march along the last axis (kernels/places/march.hpp): on grids of three dimensions, and on those of two
// where several bytes are made at once. For which functions, of what shape, and when bytes are.
#pragma once

#include "host/generate/byte_body.hpp"
#include "host/generate/kernel_source.hpp"

#include <optional>
#include <string>

namespace tessera {

// A march of this shape: places beside each other, rows and planes of a thread. `small`: see ViewChoice. On a grid of two dimensions a
// plane is a row of the grid.
[[nodiscard]] ViewChoice march_view(const CollectionSetup& collection, int cells, int rows, int planes, int small = 0);

// The march that suits a kernel on a GPU; nothing where another view does.
[[nodiscard]] std::optional<ViewChoice> choose_march(const Setup& setup, const KernelSetup& kernel);

// Up to which value a function's bytes are made several at once; or 0, and why not.
[[nodiscard]] ByteBody bytes_at_once(const Setup& setup, const KernelSetup& kernel);

// Blocks of a launch that makes these planes.
[[nodiscard]] std::int64_t blocks_of_march(const CollectionSetup& collection, const ViewChoice& view, const RowRange& planes);

// The entry of a kernel by such a view: "call_march<function, grid, tessera::march_shape<4, 1, 4, 32, 4>>".
[[nodiscard]] std::string march_call(const ViewChoice& view, const std::string& function, const std::string& grid);

// How a function goes over the places one step at a time on a GPU, and why, where it marches or sees other planes; else empty.
[[nodiscard]] std::string explain_march(const Setup& setup, const KernelSetup& kernel);

} // namespace tessera
