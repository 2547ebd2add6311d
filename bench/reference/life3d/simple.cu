// Life in three dimensions, one byte a cell, one cell a thread: what a first version in CUDA looks like.
// Layout and ghosts: ../README.md.
__device__ __forceinline__ void step(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int nx, int ny, int nz,
                                     long long pitch, long long plane) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    const unsigned char* own = in + z * plane + y * pitch + x;
    int n = -own[0];
#pragma unroll
    for (int dz = -1; dz <= 1; ++dz)
#pragma unroll
        for (int dy = -1; dy <= 1; ++dy)
#pragma unroll
            for (int dx = -1; dx <= 1; ++dx) n += own[dz * plane + dy * pitch + dx];
    const unsigned char alive = n == 5 || (n == 4 && own[0]);
    unsigned char* to = out + z * plane + y * pitch + x;
    *to = alive;

    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1 && z > 0 && z < nz - 1) return;
    // The ghost that repeats this cell on each axis; twice where the grid is one cell wide.
    for (int gz = -1; gz <= 1; ++gz)
        for (int gy = -1; gy <= 1; ++gy)
            for (int gx = -1; gx <= 1; ++gx)
                if ((gx == 0 || x == (gx < 0 ? nx - 1 : 0)) && (gy == 0 || y == (gy < 0 ? ny - 1 : 0)) &&
                    (gz == 0 || z == (gz < 0 ? nz - 1 : 0)))
                    to[gx * (long long)nx + gy * (long long)ny * pitch + gz * (long long)nz * plane] = alive;
}
