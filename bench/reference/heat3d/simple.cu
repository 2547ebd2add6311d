// Heat in three dimensions in float, one place a thread: what a first version in CUDA looks like.
// h + r (west + east + north + south + above + below - 6 h). Layout and ghosts: ../README.md; edges and corners of the frame are not used.
__device__ __forceinline__ void step(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, int nz, long long pitch,
                                     long long plane, float r) {
    const int x = blockIdx.x * 64 + threadIdx.x, y = blockIdx.y * 4 + threadIdx.y, z = blockIdx.z;
    if (x >= nx || y >= ny) return;
    const float* own = in + z * plane + y * pitch + x;
    const float sides = own[-1] + own[1] + own[-pitch] + own[pitch];
    const float heat = own[0] + r * (sides + own[-plane] + own[plane] - 6.0f * own[0]);
    float* to = out + z * plane + y * pitch + x;
    *to = heat;
    if (x == 0) to[nx] = heat;
    if (x == nx - 1) to[-(long long)nx] = heat;
    if (y == 0) to[ny * pitch] = heat;
    if (y == ny - 1) to[-(long long)ny * pitch] = heat;
    if (z == 0) to[nz * plane] = heat;
    if (z == nz - 1) to[-(long long)nz * plane] = heat;
}
