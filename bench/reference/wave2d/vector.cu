// Wave2D in float, 4 places and ROWS rows a thread, in place: before = 2 now - before + k (west + east + north + south - 4 now), and 0
// on the edge. 12 bytes move a place.
// Layout: ../README.md. The frame is read and makes no difference: places on the edge are held at 0.
#define ROWS 4

__device__ __forceinline__ float next_of(float own, float before, float west, float east, float up, float down, float k) {
    return 2.0f * own - before + k * (west + east + up + down - 4.0f * own);
}

// Whole: all 4 places of all ROWS rows are in the grid and none on its edge; nothing then stands between the loads.
template<bool Whole>
__device__ __forceinline__ void slide(const float* __restrict__ now, float* __restrict__ before, int x, int first, int nx, int ny,
                                      long long pitch, float k) {
    const float* from = now + first * pitch + x;
    float4 up = __ldg((const float4*)(from - pitch)), own = __ldg((const float4*)from);
#pragma unroll
    for (int j = 0; j < ROWS; ++j) {
        const int y = first + j;
        if (!Whole && y >= ny) return;
        const float west = __ldg(from - 1), east = __ldg(from + 4);
        const float4 down = __ldg((const float4*)(from + pitch));
        float* to = before + y * pitch + x;
        float4 z = *(const float4*)to;
        z.x = next_of(own.x, z.x, west, own.y, up.x, down.x, k);
        z.y = next_of(own.y, z.y, own.x, own.z, up.y, down.y, k);
        z.z = next_of(own.z, z.z, own.y, own.w, up.z, down.z, k);
        z.w = next_of(own.w, z.w, own.z, east, up.w, down.w, k);
        if (Whole)
            *(float4*)to = z;
        else {
            const float values[4] = {z.x, z.y, z.z, z.w};
#pragma unroll
            for (int i = 0; i < 4; ++i) {
                const bool edge = x + i == 0 || x + i == nx - 1 || y == 0 || y == ny - 1;
                if (x + i < nx) to[i] = edge ? 0.0f : values[i];
            }
        }
        up = own;
        own = down;
        from += pitch;
    }
}

__device__ __forceinline__ void step(const float* __restrict__ now, float* __restrict__ before, int nx, int ny, long long pitch, float k) {
    const int x = (blockIdx.x * 32 + threadIdx.x) * 4, first = (blockIdx.y * 4 + threadIdx.y) * ROWS;
    if (x >= nx || first >= ny) return;
    if (x > 0 && x + 4 < nx && first > 0 && first + ROWS < ny)
        slide<true>(now, before, x, first, nx, ny, pitch, k);
    else
        slide<false>(now, before, x, first, nx, ny, pitch, k);
}
