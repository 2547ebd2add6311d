// Heat2D in float, 8 steps a launch. h + r (west + east + north + south - 4 h).
//
// A warp streams down a strip of 128 columns, 4 of them a lane. The last three rows of the start and of each step but the last are in
// registers: a row that comes in makes the one above it of the first step, that makes the one above it of the second, and so on through all
// steps. What is within 8 columns of the strip's sides, or 8 rows of its ends, is made for that alone and not written. Layout and ghosts:
// ../README.md.
#define STEPS 8
#define WIDTH (128 - 2 * STEPS) // columns that a warp writes
#define LEAST 9                 // rows that are worth a warp where all schedulers have one

struct grid {
    const float* in;
    float* out;
    int nx, ny;
    long long pitch;
    float r;
};

// Reads rows y, y + 1, ... of a lane's columns x to x + 3.
template<bool Edge> struct reader {
    const float* from;
    long long pitch;
    __device__ __forceinline__ reader(const grid& g, int x, int first) : from(g.in + first * g.pitch + x), pitch(g.pitch) {}
    __device__ __forceinline__ float4 next() {
        const float4 heat = __ldg((const float4*)from);
        from += pitch;
        return heat;
    }
};

__device__ __forceinline__ int wrapped(int i, int n) { return (i + 16 * n) % n; } // i >= -16

// Around the torus, if some of them are beyond the grid.
template<> struct reader<true> {
    const float* in;
    long long pitch;
    int y, ny, columns[4];
    __device__ __forceinline__ reader(const grid& g, int x, int first) : in(g.in), pitch(g.pitch), y(wrapped(first, g.ny)), ny(g.ny) {
        columns[0] = wrapped(x, g.nx);
        for (int i = 1; i < 4; ++i) columns[i] = columns[i - 1] + 1 == g.nx ? 0 : columns[i - 1] + 1;
    }
    __device__ __forceinline__ float4 next() {
        const float* row = in + y * pitch;
        y = y + 1 == ny ? 0 : y + 1;
        return make_float4(__ldg(row + columns[0]), __ldg(row + columns[1]), __ldg(row + columns[2]), __ldg(row + columns[3]));
    }
};

// Writes those of them that are in the grid, or a ghost beside it, to `to`.
template<bool Edge> __device__ __forceinline__ void store(float* to, int x, int nx, float4 heat) {
    if (!Edge || (x >= 0 && x + 3 <= nx))
        *(float4*)to = heat;
    else {
        if (x >= 0 && x <= nx) to[0] = heat.x;
        if (x >= 0 && x + 1 <= nx) to[1] = heat.y;
        if (x >= 0 && x + 2 <= nx) to[2] = heat.z;
        if (x == -4) to[3] = heat.w;
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

// Row `in`, the j-th that comes in, through all steps, or as many as it reaches while the first rows fill them. Row j is in rows[.][slot],
// its predecessors in the other two in turn.
template<bool Filling> __device__ __forceinline__ float4 take(float4 (&rows)[STEPS][3], float4 in, int j, int slot, float r) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        if (Filling && j < 2 * s) break;
        rows[s][slot] = in;
        in = next_of(rows[s][(slot + 2) % 3], rows[s][(slot + 1) % 3], in, r);
    }
    return in;
}

// Rows [first, last) of a strip; x is this lane's first column.
template<bool Edge> __device__ __forceinline__ void stream(const grid& g, int x, int first, int last) {
    const bool writes = threadIdx.x >= STEPS / 4 && threadIdx.x < 32 - STEPS / 4 && x <= g.nx;
    reader<Edge> in(g, x, first - STEPS - 2); // two rows more than it needs, so that whole rounds of three rows fill it
    float4 rows[STEPS][3] = {}, ahead[3];     // two rows are on their way
    float* to = g.out + first * g.pitch + x;
    ahead[0] = in.next();
    ahead[1] = in.next();
#pragma unroll 1
    for (int j = -2; j < 2 * STEPS; j += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            ahead[(i + 2) % 3] = in.next();
            take<true>(rows, ahead[i], j + i, i, g.r);
        }
#pragma unroll 1
    for (int y = first; y < last; y += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            ahead[(i + 2) % 3] = in.next();
            const float4 made = take<false>(rows, ahead[i], 0, i, g.r);
            if (writes && y + i < last) store<Edge>(to, x, g.nx, made);
            to += g.pitch;
        }
}

// Rows of a piece, in whole rounds of three, so that there are no more than `most` pieces.
__device__ __forceinline__ int piece(int height, int most) { return (height + 3 * most - 1) / (3 * most) * 3; }

// Each warp, which is a block, makes a piece of a strip, or several if the strips alone are more than the warps. A third of the warps is
// one for each scheduler.
__device__ __forceinline__ void step(const float* __restrict__ in, float* __restrict__ out, int nx, int ny, long long pitch, float r) {
    const grid g{in, out, nx, ny, pitch, r};
    const int width = nx + 5, height = ny + 2; // with the ghosts, which are made like any other place; x = -1 is the last column of a lane
    const int strips = (width + WIDTH - 1) / WIDTH, most = max((int)gridDim.x / strips, 1);
    const int rows = max(piece(height, most), min(piece(height, max(most / 3, 1)), LEAST)), pieces = (height + rows - 1) / rows;
    for (int i = blockIdx.x; i < strips * pieces; i += gridDim.x) {
        const int left = i % strips * WIDTH - 4 - STEPS, first = i / strips * rows - 1, last = min(first + rows, ny + 1),
                  x = left + threadIdx.x * 4;
        const bool inside =
            left >= 0 && left + 128 <= nx && first >= STEPS + 2 && last + STEPS + 4 <= ny; // with all that is read and not used
        if (inside)
            stream<false>(g, x, first, last);
        else
            stream<true>(g, x, first, last);
    }
}
