// Wave2D in float, 8 steps a launch: after = 2 now - before + k (west + east + north + south - 4 now), and 0 on the edge.
//
// A warp streams down a strip of 128 columns, 4 of them a lane. The last three rows of the start and of each step but the last are in registers:
// a row that comes in makes the one above it of the first step, that makes the one above it of the second, and so on through all steps; the row
// two steps before is that which the step before has no more use for. What is within 8 columns of the strip's sides, or 8 rows of its ends, is
// made for that alone and not written.
// Layout: ../README.md. The frame is neither read nor written: places on the edge are held at 0.
#define STEPS 8
#define WIDTH (128 - 2 * STEPS) // columns that a warp writes
#define LEAST 9                 // rows that a warp writes, at least

struct grid {
    const float *now, *before;
    float *next_now, *next_before;
    int nx, ny;
    long long pitch;
    float k;
};

// Places x to x + 3 of row y; what is beyond the grid counts for nothing.
__device__ __noinline__ float4 load_inside(const float* from, int x, int y, int nx, int ny, long long pitch) {
    float4 z = make_float4(0.0f, 0.0f, 0.0f, 0.0f);
    if (y < 0 || y >= ny) return z;
    from += y * pitch + x;
    if (x >= 0 && x < nx) z.x = __ldg(from);
    if (x + 1 >= 0 && x + 1 < nx) z.y = __ldg(from + 1);
    if (x + 2 >= 0 && x + 2 < nx) z.z = __ldg(from + 2);
    if (x + 3 >= 0 && x + 3 < nx) z.w = __ldg(from + 3);
    return z;
}

__device__ __noinline__ void store_inside(float* to, int left, float4 z) { // left: columns
    if (left >= 4) *(float4*)to = z;
    else {
        to[0] = z.x;
        if (left > 1) to[1] = z.y;
        if (left > 2) to[2] = z.z;
    }
}

__device__ __forceinline__ float next_of(float own, float before, float west, float east, float up, float down, float k) {
    return fmaf(2.0f, own, -before) + k * fmaf(-4.0f, own, west + east + up + down); // 2 own and 4 own are exact: nothing is rounded another way
}

__device__ __forceinline__ float4 next_of(float4 own, float4 before, float4 up, float4 down, float k) {
    const float west = __shfl_up_sync(~0u, own.w, 1), east = __shfl_down_sync(~0u, own.x, 1);
    return make_float4(next_of(own.x, before.x, west, own.y, up.x, down.x, k), next_of(own.y, before.y, own.x, own.z, up.y, down.y, k),
                       next_of(own.z, before.z, own.y, own.w, up.z, down.z, k), next_of(own.w, before.w, own.z, east, up.w, down.w, k));
}

__device__ __forceinline__ float4 without_edge(float4 z, int x, int y, int nx, int ny) {
    const bool edge = y <= 0 || y >= ny - 1;
    return make_float4(edge || x <= 0 || x >= nx - 1 ? 0.0f : z.x, edge || x + 1 <= 0 || x + 1 >= nx - 1 ? 0.0f : z.y,
                       edge || x + 2 <= 0 || x + 2 >= nx - 1 ? 0.0f : z.z, edge || x + 3 <= 0 || x + 3 >= nx - 1 ? 0.0f : z.w);
}

// Row `in`, which is row y, the j-th that comes in, through all steps, or as many as it reaches while the first rows fill them. It is in
// rows[.][slot], its predecessors in the other two in turn. `before` is the row above it, a step earlier.
template<bool Edge, bool Filling>
__device__ __forceinline__ float4 take(const grid& g, float4 (&rows)[STEPS][3], float4 in, float4 before, int x, int y, int j, int slot) {
    const int up = (slot + 1) % 3, own = (slot + 2) % 3;
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        if (Filling && j < 2 * s) continue; // and all after it; takes fewer registers than `break`
        rows[s][slot] = in;
        in = next_of(rows[s][own], s == 0 ? before : rows[s > 0 ? s - 1 : 0][up], rows[s][up], in, g.k);
        if (Edge) in = without_edge(in, x, y - s - 1, g.nx, g.ny);
    }
    return in;
}

template<bool Edge> __device__ __forceinline__ float4 load(const grid& g, const float* grid, const float* from, int x, int y) { // from: place (x, y)
    return Edge ? load_inside(grid, x, y, g.nx, g.ny, g.pitch) : __ldg((const float4*)from);
}

// Rows [first, last) of a strip; x is this lane's first column.
template<bool Edge> __device__ __forceinline__ void stream(const grid& g, int x, int first, int last) {
    const bool writes = threadIdx.x >= STEPS / 4 && threadIdx.x < 32 - STEPS / 4 && x < g.nx;
    float4 rows[STEPS][3] = {}, now[3], before[3]; // two rows of each are on their way
    int y = first - STEPS - 2;                     // two more than it needs, so that whole rounds of three rows fill it
    const float *from = g.now + y * g.pitch + x, *from_before = g.before + (y - 1) * g.pitch + x;
    float *to = g.next_now + first * g.pitch + x, *to_before = g.next_before + first * g.pitch + x;
#pragma unroll
    for (int i = 0; i < 2; ++i, ++y, from += g.pitch, from_before += g.pitch) {
        now[i] = load<Edge>(g, g.now, from, x, y);
        before[i] = load<Edge>(g, g.before, from_before, x, y - 1);
    }
#pragma unroll 1
    for (int j = -2; j < 2 * STEPS; j += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i, ++y, from += g.pitch, from_before += g.pitch) {
            now[(i + 2) % 3] = load<Edge>(g, g.now, from, x, y);
            before[(i + 2) % 3] = load<Edge>(g, g.before, from_before, x, y - 1);
            take<Edge, true>(g, rows, now[i], before[i], x, y - 2, j + i, i);
        }
#pragma unroll 1
    for (int row = first; row < last; row += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i, ++y, from += g.pitch, from_before += g.pitch) {
            now[(i + 2) % 3] = load<Edge>(g, g.now, from, x, y);
            before[(i + 2) % 3] = load<Edge>(g, g.before, from_before, x, y - 1);
            const float4 made = take<Edge, false>(g, rows, now[i], before[i], x, y - 2, 0, i), last_but_one = rows[STEPS - 1][(i + 2) % 3];
            if (writes && row + i < last) {
                if (Edge) store_inside(to, g.nx - x, made), store_inside(to_before, g.nx - x, last_but_one);
                else *(float4*)to = made, *(float4*)to_before = last_but_one;
            }
            to += g.pitch, to_before += g.pitch;
        }
}

// Each warp, which is a block, makes a piece of a strip, or several if the strips alone are more than the warps.
__device__ __forceinline__ void step(const float* __restrict__ now, const float* __restrict__ before, float* __restrict__ next_now,
                                     float* __restrict__ next_before, int nx, int ny, long long pitch, float k) {
    const grid g{now, before, next_now, next_before, nx, ny, pitch, k};
    const int strips = (nx + WIDTH - 1) / WIDTH, most = max((int)gridDim.x / strips, 1);
    const int rows = max((ny + most - 1) / most, LEAST), pieces = (ny + rows - 1) / rows;
    for (int i = blockIdx.x; i < strips * pieces; i += gridDim.x) {
        const int left = i % strips * WIDTH - STEPS, first = i / strips * rows, last = min(first + rows, ny), x = left + threadIdx.x * 4;
        const bool inside = left > 0 && left + 128 < nx && first > STEPS + 2 && last + STEPS + 4 < ny; // with all that is read and not used
        if (inside) stream<false>(g, x, first, last);
        else stream<true>(g, x, first, last);
    }
}
