// Whether two buffers have the same bytes in the places of a grid, ghosts left out.
#pragma once

#include <tessera/kernels/launch/compare_arguments.hpp>
#include <tessera/kernels/launch/launch.hpp>

namespace tessera {

TESSERA_FN void compare_row(const compare_arguments& args, std::int64_t row, std::int64_t first, std::int64_t by) {
    bool differ = false;
    for (std::int64_t i = first; i < args.row_bytes; i += by) differ |= args.a[row * args.pitch + i] != args.b[row * args.pitch + i];
    if (differ) *args.differ = 1;
}

} // namespace tessera

#if TESSERA_GPU
extern "C" __global__ void tessera_compare(const __grid_constant__ tessera::compare_arguments args) {
    tessera::follow_last_launch();
    for (std::int64_t row = blockIdx.x; row < args.rows; row += gridDim.x) tessera::compare_row(args, row, threadIdx.x, blockDim.x);
}
#else
extern "C" __attribute__((visibility("default"))) void tessera_compare(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t row = first; row < last; ++row)
        tessera::compare_row(*static_cast<const tessera::compare_arguments*>(args), row, 0, 1);
}
#endif
