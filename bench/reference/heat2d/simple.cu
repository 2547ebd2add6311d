// Heat2D in float, one place a thread: what a first version in CUDA looks like. h + r (west + east + north + south - 4 h).
// Layout and ghosts: ../README.md; the corners of the frame are not used.
__device__ __forceinline__ void step(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, long long pitch, float r) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y;
    if (x >= nx || y >= ny) return;
    const float* own = in + y * pitch + x;
    const float heat = own[0] + r * (own[-1] + own[1] + own[-pitch] + own[pitch] - 4.0f * own[0]);
    float* to = out + y * pitch + x;
    *to = heat;
    if (x == 0) to[nx] = heat;
    if (x == nx - 1) to[-(long long)nx] = heat;
    if (y == 0) to[ny * pitch] = heat;
    if (y == ny - 1) to[-(long long)ny * pitch] = heat;
}
