// Game of Life, one byte a cell, one cell a thread: what a first version in CUDA looks like.
// Layout and ghosts: ../README.md.
__device__ __forceinline__ void step(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int nx, int ny,
                                     long long pitch) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= nx || y >= ny) return;
    const unsigned char *own = in + y * pitch + x, *up = own - pitch, *down = own + pitch;
    const int n = up[-1] + up[0] + up[1] + own[-1] + own[1] + down[-1] + down[0] + down[1];
    const unsigned char alive = n == 3 || (n == 2 && own[0]);
    unsigned char* to = out + y * pitch + x;
    *to = alive;

    if (x > 0 && x < nx - 1 && y > 0 && y < ny - 1) return;
    // The ghost that repeats this cell on each axis; twice where the grid is one cell wide.
    for (int gy = -1; gy <= 1; ++gy)
        for (int gx = -1; gx <= 1; ++gx)
            if ((gx == 0 || x == (gx < 0 ? nx - 1 : 0)) && (gy == 0 || y == (gy < 0 ? ny - 1 : 0)))
                to[(gx == 0 ? 0 : gx * (long long)nx) + (gy == 0 ? 0 : gy * (long long)ny * pitch)] = alive;
}
