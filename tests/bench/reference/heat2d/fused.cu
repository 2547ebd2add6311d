// Heat2D in float, 8 steps a launch. h + r (west + east + north + south - 4 h).
//
// A warp streams down a strip of 128 columns, 4 of them a lane. The last three rows of the start and of each step but the last are in registers:
// a row that comes in makes the one above it of the first step, that makes the one above it of the second, and so on through all steps. What is
// within 8 columns of the strip's sides, or 8 rows of its ends, is made for that alone and not written.
// Layout and ghosts: ../README.md; the corners of the frame are not used.
#define STEPS 8
#define WIDTH (128 - 2 * STEPS) // columns that a warp writes
#define LEAST 9                 // rows that a warp writes, at least

struct grid {
    const float* in;
    float* out;
    int nx, ny;
    long long pitch;
    float r;
};

__device__ __forceinline__ int wrapped(int i, int n) {
    while (i < 0) i += n;
    while (i >= n) i -= n;
    return i;
}

// Places x to x + 3 of row y, of which some may be beyond the grid.
__device__ __noinline__ float4 load_wrapped(const float* in, int x, int y, int nx, int ny, long long pitch) {
    const float* row = in + wrapped(y, ny) * pitch;
    if (x >= 0 && x + 4 <= nx) return __ldg((const float4*)(row + x));
    const int a = wrapped(x, nx), b = wrapped(a + 1, nx), c = wrapped(b + 1, nx), d = wrapped(c + 1, nx);
    return make_float4(__ldg(row + a), __ldg(row + b), __ldg(row + c), __ldg(row + d));
}

// Writes them, those that are in the grid, and the ghosts that repeat them.
__device__ __noinline__ void store_repeated(float* out, int x, int y, int nx, int ny, long long pitch, float4 heat) {
    const int left = nx - x; // columns
    for (int copy = y == ny - 1 ? -1 : 0; copy <= (y == 0 ? 1 : 0); ++copy) {
        float* to = out + (y + copy * (long long)ny) * pitch + x;
        if (left >= 4) *(float4*)to = heat;
        else {
            to[0] = heat.x;
            if (left > 1) to[1] = heat.y;
            if (left > 2) to[2] = heat.z;
        }
        if (x == 0) to[nx] = heat.x;
        if (left <= 4) to[-x - 1] = left == 1 ? heat.x : left == 2 ? heat.y : left == 3 ? heat.z : heat.w;
    }
}

__device__ __forceinline__ float next_of(float own, float west, float east, float up, float down, float r) {
    return own + r * fmaf(-4.0f, own, west + east + up + down); // 4 own is exact, so that nothing is rounded another way
}

__device__ __forceinline__ float4 next_of(float4 own, float4 up, float4 down, float r) {
    const float west = __shfl_up_sync(~0u, own.w, 1), east = __shfl_down_sync(~0u, own.x, 1);
    return make_float4(next_of(own.x, west, own.y, up.x, down.x, r), next_of(own.y, own.x, own.z, up.y, down.y, r),
                       next_of(own.z, own.y, own.w, up.z, down.z, r), next_of(own.w, own.z, east, up.w, down.w, r));
}

// Row `in`, the j-th that comes in, through all steps, or as many as it reaches while the first rows fill them. Row j is in rows[.][slot], its
// predecessors in the other two in turn.
template<bool Filling> __device__ __forceinline__ float4 take(float4 (&rows)[STEPS][3], float4 in, int j, int slot, float r) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        if (Filling && j < 2 * s) break;
        rows[s][slot] = in;
        in = next_of(rows[s][(slot + 2) % 3], rows[s][(slot + 1) % 3], in, r);
    }
    return in;
}

template<bool Edge> __device__ __forceinline__ float4 load(const grid& g, const float* from, int x, int y) { // from: place (x, y)
    return Edge ? load_wrapped(g.in, x, y, g.nx, g.ny, g.pitch) : __ldg((const float4*)from);
}

// Rows [first, last) of a strip; x is this lane's first column.
template<bool Edge> __device__ __forceinline__ void stream(const grid& g, int x, int first, int last) {
    const bool writes = threadIdx.x >= STEPS / 4 && threadIdx.x < 32 - STEPS / 4 && x < g.nx;
    float4 rows[STEPS][3] = {}, ahead[3]; // two rows are on their way
    int y = first - STEPS - 2;            // two more than it needs, so that whole rounds of three rows fill it
    const float* from = g.in + y * g.pitch + x;
    float* to = g.out + first * g.pitch + x;
    ahead[0] = load<Edge>(g, from, x, y);
    ahead[1] = load<Edge>(g, from += g.pitch, x, ++y);
#pragma unroll 1
    for (int j = -2; j < 2 * STEPS; j += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            ahead[(i + 2) % 3] = load<Edge>(g, from += g.pitch, x, ++y);
            take<true>(rows, ahead[i], j + i, i, g.r);
        }
#pragma unroll 1
    for (int row = first; row < last; row += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            ahead[(i + 2) % 3] = load<Edge>(g, from += g.pitch, x, ++y);
            const float4 made = take<false>(rows, ahead[i], 0, i, g.r);
            if (writes && row + i < last) {
                if (Edge) store_repeated(g.out, x, row + i, g.nx, g.ny, g.pitch, made);
                else *(float4*)to = made;
            }
            to += g.pitch;
        }
}

// Each warp, which is a block, makes a piece of a strip, or several if the strips alone are more than the warps.
__device__ __forceinline__ void step(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, long long pitch, float r) {
    const grid g{in, out, nx, ny, pitch, r};
    const int strips = (nx + WIDTH - 1) / WIDTH, most = max((int)gridDim.x / strips, 1);
    const int rows = max((ny + most - 1) / most, LEAST), pieces = (ny + rows - 1) / rows;
    for (int i = blockIdx.x; i < strips * pieces; i += gridDim.x) {
        const int left = i % strips * WIDTH - STEPS, first = i / strips * rows, last = min(first + rows, ny), x = left + threadIdx.x * 4;
        const bool inside = left >= 0 && left + 128 <= nx && first >= STEPS + 2 && last + STEPS + 4 <= ny; // with all that is read and not used
        if (inside) stream<false>(g, x, first, last);
        else stream<true>(g, x, first, last);
    }
}
