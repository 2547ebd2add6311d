#include "host/views/tiling.hpp"

namespace tessera {

LaunchShape launch_shape(const Tiling& tiling, const RowRange& rows) {
    LaunchShape shape;
    shape.items = tiling.across * ((rows.rows() + tiling.rows - 1) / tiling.rows);
    shape.block = {static_cast<unsigned>(tiling.threads), 1, 1};
    shape.grid = {static_cast<unsigned>((shape.items * tiling.tile_threads + tiling.threads - 1) / tiling.threads), 1, 1};
    return shape;
}

} // namespace tessera
