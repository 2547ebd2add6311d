// Heat2D in float, 4 places and ROWS rows a thread, three rows in registers. h + r (west + east + north + south - 4 h).
//
// Layout and ghosts: ../README.md; the corners of the frame are not used.
#define ROWS 4

// Whole: all 4 places of all ROWS rows are in the grid, so that nothing stands between the loads, which are then all in flight at once.
template<bool Whole>
__device__ __forceinline__ void slide(const float* __restrict__ in, float* __restrict__ out, int x, int first, int nx, int ny,
                                      long long pitch, float r) {
    const float* from = in + first * pitch + x;
    float4 up = __ldg((const float4*)(from - pitch)), own = __ldg((const float4*)from);
#pragma unroll
    for (int j = 0; j < ROWS; ++j) {
        if (!Whole && first + j >= ny) return;
        const float west = __ldg(from - 1), east = __ldg(from + 4);
        const float4 down = __ldg((const float4*)(from + pitch));
        float4 heat;
        heat.x = own.x + r * (west + own.y + up.x + down.x - 4.0f * own.x);
        heat.y = own.y + r * (own.x + own.z + up.y + down.y - 4.0f * own.y);
        heat.z = own.z + r * (own.y + own.w + up.z + down.z - 4.0f * own.z);
        heat.w = own.w + r * (own.z + east + up.w + down.w - 4.0f * own.w);
        float* to = out + (first + j) * pitch + x;
        if (Whole || x + 4 <= nx)
            *(float4*)to = heat;
        else {
            to[0] = heat.x;
            if (x + 1 < nx) to[1] = heat.y;
            if (x + 2 < nx) to[2] = heat.z;
        }
        up = own;
        own = down;
        from += pitch;
    }
}

// Writes the ghosts that repeat what this thread wrote: places [x, x + 4) of rows [first, first + ROWS).
__device__ __noinline__ void write_ghosts(float* out, int x, int first, int nx, int ny, long long pitch) {
    for (int y = first; y < first + ROWS && y < ny; ++y)
        for (int i = x; i < x + 4 && i < nx; ++i) {
            float* place = out + y * pitch + i;
            if (i == 0) place[nx] = *place;
            if (i == nx - 1) place[-(long long)nx] = *place;
            if (y == 0) place[ny * pitch] = *place;
            if (y == ny - 1) place[-(long long)ny * pitch] = *place;
        }
}

__device__ __forceinline__ void step(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, long long pitch, float r) {
    const int x = (blockIdx.x * 32 + threadIdx.x) * 4, first = (blockIdx.y * 4 + threadIdx.y) * ROWS;
    if (x >= nx || first >= ny) return;
    if (x + 4 <= nx && first + ROWS <= ny)
        slide<true>(in, out, x, first, nx, ny, pitch, r);
    else
        slide<false>(in, out, x, first, nx, ny, pitch, r);
    if (x == 0 || x + 4 >= nx || first == 0 || first + ROWS >= ny) write_ghosts(out, x, first, nx, ny, pitch);
}
