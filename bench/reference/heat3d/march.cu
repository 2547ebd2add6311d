// Heat in three dimensions in float, 4 places of a row a thread, which marches over PLANES planes with three of them in registers.
// h + r (west + east + north + south + above + below - 6 h). Layout and ghosts: ../README.md; edges and corners of the frame are not used.
#define PLANES 4

__device__ __forceinline__ float next_of(float own, float west, float east, float north, float south, float above, float below, float r) {
    return own + r * (west + east + north + south + above + below - 6.0f * own);
}

// Writes the rows of ghosts that repeat places [x, x + 4) of a row of PLANES planes; those at the sides of a row are written with it.
__device__ __noinline__ void write_ghosts(float* out, int x, int y, int top, int nx, int ny, int nz, long long pitch, long long plane) {
    for (int z = top; z < top + PLANES && z < nz; ++z)
        for (int i = x; i < x + 4 && i < nx; ++i) {
            float* place = out + z * plane + y * pitch + i;
            if (y == 0) place[ny * pitch] = *place;
            if (y == ny - 1) place[-(long long)ny * pitch] = *place;
            if (z == 0) place[nz * plane] = *place;
            if (z == nz - 1) place[-(long long)nz * plane] = *place;
        }
}

// Whole: all 4 places of all planes are in the grid, so that nothing stands between the loads.
template<bool Whole>
__device__ __forceinline__ void march(const float* __restrict__ in, float* __restrict__ out, int x, int y, int top, int nx, int nz,
                                      long long pitch, long long plane, float r) {
    const float* from = in + top * plane + y * pitch + x;
    float* to = out + top * plane + y * pitch + x;
    float4 above = __ldg((const float4*)(from - plane)), own = __ldg((const float4*)from);
#pragma unroll
    for (int k = 0; k < PLANES; ++k) {
        if (!Whole && top + k >= nz) return;
        const float4 below = __ldg((const float4*)(from + plane)), north = __ldg((const float4*)(from - pitch)),
                     south = __ldg((const float4*)(from + pitch));
        const float west = __ldg(from - 1), east = __ldg(from + 4);
        float4 heat;
        heat.x = next_of(own.x, west, own.y, north.x, south.x, above.x, below.x, r);
        heat.y = next_of(own.y, own.x, own.z, north.y, south.y, above.y, below.y, r);
        heat.z = next_of(own.z, own.y, own.w, north.z, south.z, above.z, below.z, r);
        heat.w = next_of(own.w, own.z, east, north.w, south.w, above.w, below.w, r);
        if (Whole || x + 4 <= nx)
            *(float4*)to = heat;
        else {
            to[0] = heat.x;
            if (x + 1 < nx) to[1] = heat.y;
            if (x + 2 < nx) to[2] = heat.z;
        }
        if (x == 0) to[nx] = heat.x;
        if (x + 4 >= nx) to[-x - 1] = Whole ? heat.w : to[nx - 1 - x];
        above = own;
        own = below;
        from += plane;
        to += plane;
    }
}

__device__ __forceinline__ void step(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, long long pitch,
                                     long long plane, float r) {
    const int x = (blockIdx.x * 32 + threadIdx.x) * 4, y = blockIdx.y * 4 + threadIdx.y, top = blockIdx.z * PLANES;
    if (x >= nx || y >= ny) return;
    if (x + 4 <= nx && top + PLANES <= nz)
        march<true>(in, out, x, y, top, nx, nz, pitch, plane, r);
    else
        march<false>(in, out, x, y, top, nx, nz, pitch, plane, r);
    if (y == 0 || y == ny - 1 || top == 0 || top + PLANES >= nz) write_ghosts(out, x, y, top, nx, ny, nz, pitch, plane);
}
