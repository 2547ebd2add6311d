// The view that fits everything: one place a thread, straight from memory.
#pragma once

#include <tessera/kernels/launch/memory.hpp>
#include <tessera/kernels/places/ghosts.hpp>

namespace tessera {

template<class Function, class Grid, bool Masked> struct direct_view : view_base<Function, Grid> {
    using base = view_base<Function, Grid>;
    static constexpr bool masked = Masked;

    template<int I> TESSERA_FN auto own() const { return at<I, 0, 0, 0>(); }

    template<int I, int X, int Y, int Z> TESSERA_FN auto at() const {
        constexpr bool shared = (bits_of<Function, I> & access_around) != 0;
        const scalar_of<Function, I>* here = column_in<Function, I>(*base::args) + index<I>(X, Y, Z);
        if constexpr (same_type<scalar_of<Function, I>, value_of<Function, I>>)
            return load<shared>(here);
        else {
            value_of<Function, I> value;
#pragma unroll
            for (int e = 0; e < elements_of<Function, I>; ++e) value[e] = load<shared>(here + e * layout_of<Grid, I>().element);
            return value;
        }
    }
    template<int I> TESSERA_FN void store(const value_of<Function, I>& value) const {
        if constexpr (same_type<scalar_of<Function, I>, value_of<Function, I>>)
            store_element<I>(0, value);
        else
            for (int e = 0; e < elements_of<Function, I>; ++e) store_element<I>(e, value[e]);
    }
    template<int X, int Y, int Z> TESSERA_FN bool exists() const { return base::template exists_at<Masked, X, Y, Z>(); }

private:
    template<int I> TESSERA_FN std::int64_t index(int dx, int dy, int dz) const {
        const column_layout column = layout_of<Grid, I>();
        return base::x + dx + (base::y + dy) * column.row + (base::z + dz) * column.plane;
    }
    template<int I> TESSERA_FN void store_element(int e, scalar_of<Function, I> value) const {
        auto* origin = column_out<Function, I>(*base::args) + e * layout_of<Grid, I>().element;
        origin[index<I>(0, 0, 0)] = value;
        if (has_copies<Grid, I>(base::x, 1, base::y, base::z)) write_copies<Grid, I>(origin, value, base::x, base::y, base::z);
    }
};

template<class Function, class Grid>
TESSERA_FN void call_direct_at(const arguments_of<Function>& args, std::int64_t x, std::int64_t y, std::int64_t z) {
    if constexpr (has_open_axis<Grid>) {
        constexpr int rx = reach_on<Function, Grid, 0>, ry = reach_on<Function, Grid, 1>, rz = reach_on<Function, Grid, 2>;
        const std::int64_t nx = extent_of<Grid, 0>(), ny = extent_of<Grid, 1>(), nz = extent_of<Grid, 2>();
        const bool edge = (x < rx) | (x >= nx - rx) | (y < ry) | (y >= ny - ry) | (z < rz) | (z >= nz - rz);
        if (edge) return call_on<Function>(direct_view<Function, Grid, true>{{&args, x, y, z}});
    }
    call_on<Function>(direct_view<Function, Grid, false>{{&args, x, y, z}});
}

// Threads cover tiles of Width x 1 places, tile t being number t of the row-major list of the launch's tiles.
template<class Function, class Grid, int Width, class Counter>
TESSERA_FN void call_counted_tile(const arguments_of<Function>& args, Counter tile, int lane) {
    const auto ny = static_cast<Counter>(extent_of<Grid, 1>()), across = static_cast<Counter>((extent_of<Grid, 0>() + Width - 1) / Width);
    const Counter line = tile / across; // from the launch's first row on
    const std::int64_t x = static_cast<std::int64_t>(tile % across) * Width + lane;
    std::int64_t y = line % ny, z = line / ny;
    if constexpr (Grid::in_bands) {
        if constexpr (Grid::dims == 3)
            z += args.first_row;
        else
            y = args.first_row + line, z = 0;
        if ((Grid::dims == 3 ? z : y) >= args.end_row) return;
    } else if (z >= extent_of<Grid, 2>())
        return;
    if (x < extent_of<Grid, 0>()) call_direct_at<Function, Grid>(args, x, y, z);
}
template<class Function, class Grid, int Width>
TESSERA_FN void call_direct_tile(const arguments_of<Function>& args, counter_of<Grid> tile, int lane) {
    if constexpr (runtime_grid<Grid>)
        if (tile >> 32 == 0) return call_counted_tile<Function, Grid, Width>(args, static_cast<std::uint32_t>(tile), lane);
    call_counted_tile<Function, Grid, Width>(args, tile, lane);
}

#if TESSERA_GPU
// A block is `blockDim.x / Width` tiles.
template<class Function, class Grid, int Width> TESSERA_FN void call_direct(const arguments_of<Function>& args) {
    const counter_of<Grid> tiles = blockDim.x / Width;
    call_direct_tile<Function, Grid, Width>(args, blockIdx.x * tiles + threadIdx.x / Width, threadIdx.x % Width);
}
#else
// Items are tiles.
template<class Function, class Grid, int Width> inline void call_direct(const void* args, std::int64_t first, std::int64_t last) {
    for (std::int64_t tile = first; tile < last; ++tile)
        for (int lane = 0; lane < Width; ++lane)
            call_direct_tile<Function, Grid, Width>(*static_cast<const arguments_of<Function>*>(args), tile, lane);
}
#endif

} // namespace tessera
