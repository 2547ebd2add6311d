// Wave2D in float, 8 steps a launch: after = 2 now - before + k (west + east + north + south - 4 now), and 0 on the edge.
//
// A warp streams down a strip of 128 columns, 4 of them a lane. The last three rows of the start and of each step but the last are in
// registers: a row that comes in makes the one above it of the first step, that makes the one above it of the second, and so on through all
// steps; the row two steps before is that which the step before has no more use for. What is within 8 columns of the strip's sides, or 8
// rows of its ends, is made for that alone and not written. Layout: ../README.md. The frame is neither read nor written: places on the edge
// are held at 0.
#define STEPS 8
#define WIDTH (128 - 2 * STEPS) // columns that a warp writes
#define LEAST 9                 // rows that are worth a warp where all schedulers have one

struct grid {
    const float *now, *before;
    float *next_now, *next_before;
    int nx, ny;
    long long pitch;
    float k;
};

// Reads `now` in rows y, y + 1, ... and `before` in the rows above them; a lane's columns, x to x + 3.
template<bool Edge> struct reader {
    const float *now, *before;
    long long pitch;
    __device__ __forceinline__ reader(const grid& g, int x, int first)
        : now(g.now + first * g.pitch + x), before(g.before + (first - 1) * g.pitch + x), pitch(g.pitch) {}
    __device__ __forceinline__ void next(float4& one, float4& other) {
        one = __ldg((const float4*)now), other = __ldg((const float4*)before);
        now += pitch, before += pitch;
    }
};

// Beyond the grid, whatever: since places on the edge are held, it comes to none of those that are written.
template<> struct reader<true> {
    const float *now, *before;
    long long pitch, above; // above: where the row above begins
    int y, last;
    __device__ __forceinline__ reader(const grid& g, int x, int first) : pitch(g.pitch), y(first), last(g.ny - 1) {
        const int column = min(max(x, 0), (g.nx - 1) & ~3);
        now = g.now + column, before = g.before + column;
        above = min(max(first - 1, 0), last) * pitch;
    }
    __device__ __forceinline__ void next(float4& one, float4& other) {
        const long long row = min(max(y, 0), last) * pitch;
        one = __ldg((const float4*)(now + row)), other = __ldg((const float4*)(before + above));
        above = row, y += 1;
    }
};

// A lane's columns of one row of both; `left` columns are in the grid from there on.
template<bool Edge> __device__ __forceinline__ void store(float* to, float* to_before, int left, float4 now, float4 before) {
    if (!Edge || left >= 4)
        *(float4*)to = now, *(float4*)to_before = before;
    else {
        to[0] = now.x, to_before[0] = before.x;
        if (left > 1) to[1] = now.y, to_before[1] = before.y;
        if (left > 2) to[2] = now.z, to_before[2] = before.z;
    }
}

__device__ __forceinline__ float next_of(float own, float before, float west, float east, float up, float down, float k) {
    return fmaf(2.0f, own, -before) +
           k * fmaf(-4.0f, own, west + east + up + down); // 2 own and 4 own are exact: nothing is rounded another way
}

__device__ __forceinline__ float4 next_of(float4 own, float4 before, float4 up, float4 down, float k) {
    const float west = __shfl_up_sync(~0u, own.w, 1), east = __shfl_down_sync(~0u, own.x, 1);
    return make_float4(next_of(own.x, before.x, west, own.y, up.x, down.x, k), next_of(own.y, before.y, own.x, own.z, up.y, down.y, k),
                       next_of(own.z, before.z, own.y, own.w, up.z, down.z, k), next_of(own.w, before.w, own.z, east, up.w, down.w, k));
}

__device__ __forceinline__ float kept(float z, int column, int row) { return __int_as_float(__float_as_int(z) & column & row); }

struct inner {                             // ~0 for what is not on the edge, 0 for what is
    int columns[4], rows[STEPS + 1], last; // the row that comes in and those before it
    __device__ __forceinline__ inner(const grid& g, int x) : rows{}, last(g.ny - 1) {
        for (int i = 0; i < 4; ++i) columns[i] = x + i == 0 || x + i == g.nx - 1 ? 0 : ~0;
    }
    __device__ __forceinline__ void enter(int y) {
        for (int s = STEPS; s > 0; --s) rows[s] = rows[s - 1];
        rows[0] = y == 0 || y == last ? 0 : ~0;
    }
    __device__ __forceinline__ float4 of(float4 z, int s) const { // the s-th row before
        return make_float4(kept(z.x, columns[0], rows[s]), kept(z.y, columns[1], rows[s]), kept(z.z, columns[2], rows[s]),
                           kept(z.w, columns[3], rows[s]));
    }
};

// Row `in`, which is row y, the j-th that comes in, through all steps, or as many as it reaches while the first rows fill them. It is in
// rows[.][slot], its predecessors in the other two in turn. `before` is the row above it, a step earlier.
template<bool Edge, bool Filling>
__device__ __forceinline__ float4 take(const grid& g, inner& edge, float4 (&rows)[STEPS][3], float4 in, float4 before, int y, int j,
                                       int slot) {
    const int up = (slot + 1) % 3, own = (slot + 2) % 3;
    if (Edge) edge.enter(y);
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        if (Filling && j < 2 * s) continue; // and all after it; takes fewer registers than `break`
        rows[s][slot] = in;
        in = next_of(rows[s][own], s == 0 ? before : rows[s > 0 ? s - 1 : 0][up], rows[s][up], in, g.k);
        if (Edge) in = edge.of(in, s + 1);
    }
    return in;
}

// Rows [first, last) of a strip; x is this lane's first column.
template<bool Edge> __device__ __forceinline__ void stream(const grid& g, int x, int first, int last) {
    const bool writes = threadIdx.x >= STEPS / 4 && threadIdx.x < 32 - STEPS / 4 && x < g.nx;
    inner edge(g, x);
    int y = first - STEPS - 2; // two rows more than it needs, so that whole rounds of three rows fill it
    reader<Edge> in(g, x, y);
    float4 rows[STEPS][3] = {}, now[3], before[3]; // two rows of each are on their way
    float *to = g.next_now + first * g.pitch + x, *to_before = g.next_before + first * g.pitch + x;
    in.next(now[0], before[0]);
    in.next(now[1], before[1]);
#pragma unroll 1
    for (int j = -2; j < 2 * STEPS; j += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            in.next(now[(i + 2) % 3], before[(i + 2) % 3]);
            take<Edge, true>(g, edge, rows, now[i], before[i], y++, j + i, i);
        }
#pragma unroll 1
    for (int row = first; row < last; row += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            in.next(now[(i + 2) % 3], before[(i + 2) % 3]);
            const float4 made = take<Edge, false>(g, edge, rows, now[i], before[i], y++, 0, i), last_but_one = rows[STEPS - 1][(i + 2) % 3];
            if (writes && row + i < last) store<Edge>(to, to_before, g.nx - x, made, last_but_one);
            to += g.pitch, to_before += g.pitch;
        }
}

// Rows of a piece, in whole rounds of three, so that there are no more than `most` pieces.
__device__ __forceinline__ int piece(int height, int most) { return (height + 3 * most - 1) / (3 * most) * 3; }

// Each warp, which is a block, makes a piece of a strip, or several if the strips alone are more than the warps. A third of the warps is
// one for each scheduler.
__device__ __forceinline__ void step(const float* __restrict__ now, const float* __restrict__ before, float* __restrict__ next_now,
                                     float* __restrict__ next_before, int nx, int ny, long long pitch, float k) {
    const grid g{now, before, next_now, next_before, nx, ny, pitch, k};
    const int strips = (nx + WIDTH - 1) / WIDTH, most = max((int)gridDim.x / strips, 1);
    const int rows = max(piece(ny, most), min(piece(ny, max(most / 3, 1)), LEAST)), pieces = (ny + rows - 1) / rows;
    for (int i = blockIdx.x; i < strips * pieces; i += gridDim.x) {
        const int left = i % strips * WIDTH - STEPS, first = i / strips * rows, last = min(first + rows, ny), x = left + threadIdx.x * 4;
        const bool inside = left > 0 && left + 128 < nx && first > STEPS + 2 && last + STEPS + 4 < ny; // with all that is read and not used
        if (inside)
            stream<false>(g, x, first, last);
        else
            stream<true>(g, x, first, last);
    }
}
