// Game of Life, one byte a cell in memory, 8 steps a launch: in registers a cell is a bit, and 32 cells of a row are one word, whose neighbours are
// counted with one bit of the count to a word.
//
// A warp streams down a strip of 1024 columns, 32 of them a lane. The last two rows of the start and of each step but the last are in registers:
// a row that comes in makes the one above it of the first step, that makes the one above it of the second, and so on through all steps. What is
// within 16 columns of the strip's sides, or 8 rows of its ends, is made for that alone and not written.
// Cells are 0 or 1. Layout and ghosts: ../README.md.
#define STEPS 8
#define WIDTH (1024 - 32) // columns that a warp writes: half a lane's less on each side, so that the halves stay aligned
#define LEAST 6           // rows that a warp writes, at least

typedef unsigned int word;

struct grid {
    const unsigned char* in;
    unsigned char* out;
    int nx, ny;
    long long pitch;
};

__device__ __forceinline__ int wrapped(int i, int n) {
    while (i < 0) i += n;
    while (i >= n) i -= n;
    return i;
}

struct bytes { // 32 cells
    uint4 low, high;
};

__device__ __forceinline__ bytes bytes_at(const unsigned char* from) {
    return {__ldg((const uint4*)from), __ldg((const uint4*)from + 1)};
}

// 8 cells as the highest byte. The bits of both words are 0, 8, 16 and 24; the factor brings them together, and no two others meet.
__device__ __forceinline__ word packed(word cells, word next) { return (cells + (next << 4)) * 0x01020408u; }

__device__ __forceinline__ word packed(const bytes& c) {
    return packed(c.low.x, c.low.y) >> 24 | packed(c.low.z, c.low.w) >> 24 << 8 | packed(c.high.x, c.high.y) >> 24 << 16 | packed(c.high.z, c.high.w) >> 24 << 24;
}

// The 4 cells of a byte's lower or upper half.
__device__ __forceinline__ word unpacked(word half) { return (half & 15) * 0x00204081u & 0x01010101u; }

__device__ __forceinline__ uint4 unpacked_half(word cells) {
    return make_uint4(unpacked(cells), unpacked(cells >> 4), unpacked(cells >> 8), unpacked(cells >> 12));
}

// Cells x to x + 31 of row y, of which some may be beyond the grid.
__device__ __noinline__ word load_wrapped(const unsigned char* in, int x, int y, int nx, int ny, long long pitch) {
    const unsigned char* row = in + wrapped(y, ny) * pitch;
    x = wrapped(x, nx);
    const auto at = [row](int i) { // what is not a cell may have any value
        bytes c = bytes_at(row + i);
        c.low.x &= 0x01010101u, c.low.y &= 0x01010101u, c.low.z &= 0x01010101u, c.low.w &= 0x01010101u;
        c.high.x &= 0x01010101u, c.high.y &= 0x01010101u, c.high.z &= 0x01010101u, c.high.w &= 0x01010101u;
        return packed(c);
    };
    if (nx < 32) {
        unsigned long long all = at(0) & ((1u << nx) - 1);
        for (int n = nx; n < 64; n *= 2) all |= all << n;
        return (word)(all >> x);
    }
    const int aligned = x & ~31, left = nx - x;
    const word cells = __funnelshift_r(at(aligned), x == aligned ? 0 : at(aligned + 32), x & 31);
    return left >= 32 ? cells : (cells & ((1u << left) - 1)) | at(0) << left;
}

// Writes 16 cells from (x, y) on, those that are in the grid, and the ghosts that repeat them.
__device__ __noinline__ void store_repeated(unsigned char* out, int x, int y, int nx, int ny, long long pitch, word cells) {
    for (int copy = y == ny - 1 ? -1 : 0; copy <= (y == 0 ? 1 : 0); ++copy) {
        unsigned char* to = out + (y + copy * (long long)ny) * pitch + x;
        if (x + 16 <= nx) *(uint4*)to = unpacked_half(cells);
        else
            for (int i = 0; x + i < nx; ++i) to[i] = cells >> i & 1;
        if (x == 0) to[nx] = cells & 1;
        if (x + 16 >= nx) to[-x - 1] = cells >> (nx - 1 - x) & 1;
    }
}

struct row { // 32 cells, and for each the two bits of the sum of itself and those to its left and right
    word own, ones, twos;
};

__device__ __forceinline__ word majority(word a, word b, word c) { return (a & b) | (b & c) | (a & c); }

__device__ __forceinline__ row row_of(word own) {
    const word left = __funnelshift_l(__shfl_up_sync(~0u, own, 1), own, 1), right = __funnelshift_r(own, __shfl_down_sync(~0u, own, 1), 1);
    return {own, left ^ own ^ right, majority(left, own, right)};
}

// A cell lives if the nine are three, or if they are four and it is one of them.
__device__ __forceinline__ word next_of(const row& up, const row& middle, const row& down) {
    const word ones = up.ones ^ middle.ones ^ down.ones, carry = majority(up.ones, middle.ones, down.ones); // of the nine: ones + 2 carry
    const word twos = up.twos ^ middle.twos ^ down.twos, fours = majority(up.twos, middle.twos, down.twos); // + 2 twos + 4 fours
    // Three is ones, and one of carry and twos; four is no ones, and fours, or else carry and twos.
    const word may_be = (ones & ~fours) | (~ones & (carry ^ fours)), is_not = ones ^ carry ^ twos;
    return may_be & ~is_not & (ones | middle.own);
}

// Row `in`, the j-th that comes in, through all steps, or as many as it reaches while the first rows fill them. Row j is in rows[.][slot], its
// predecessors in the other two in turn.
template<bool Filling> __device__ __forceinline__ word take(row (&rows)[STEPS][3], word in, int j, int slot) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        if (Filling && j < 2 * s) break;
        rows[s][slot] = row_of(in);
        in = next_of(rows[s][(slot + 1) % 3], rows[s][(slot + 2) % 3], rows[s][slot]);
    }
    return in;
}

template<bool Edge> struct pending { // a row on its way
    bytes c;
    __device__ __forceinline__ void load(const grid&, const unsigned char* from, int, int) { c = bytes_at(from); }
    __device__ __forceinline__ word cells() const { return packed(c); }
};
template<> struct pending<true> {
    word c;
    __device__ __forceinline__ void load(const grid& g, const unsigned char*, int x, int y) { c = load_wrapped(g.in, x, y, g.nx, g.ny, g.pitch); }
    __device__ __forceinline__ word cells() const { return c; }
};

// Rows [first, last) of a strip; x is this lane's first column.
template<bool Edge> __device__ __forceinline__ void stream(const grid& g, int x, int first, int last) {
    const bool writes_low = threadIdx.x > 0 && x < g.nx, writes_high = threadIdx.x < 31 && x + 16 < g.nx;
    row rows[STEPS][3] = {};
    pending<Edge> ahead[3];    // two rows are on their way
    int y = first - STEPS - 2; // two more than it needs, so that whole rounds of three rows fill it
    const unsigned char* from = g.in + y * g.pitch + x;
    unsigned char* to = g.out + first * g.pitch + x;
    ahead[0].load(g, from, x, y);
    ahead[1].load(g, from += g.pitch, x, ++y);
#pragma unroll 1
    for (int j = -2; j < 2 * STEPS; j += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            ahead[(i + 2) % 3].load(g, from += g.pitch, x, ++y);
            take<true>(rows, ahead[i].cells(), j + i, i);
        }
#pragma unroll 1
    for (int line = first; line < last; line += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            ahead[(i + 2) % 3].load(g, from += g.pitch, x, ++y);
            const word made = take<false>(rows, ahead[i].cells(), 0, i);
            if (line + i < last) {
                if (Edge) {
                    if (writes_low) store_repeated(g.out, x, line + i, g.nx, g.ny, g.pitch, made);
                    if (writes_high) store_repeated(g.out, x + 16, line + i, g.nx, g.ny, g.pitch, made >> 16);
                } else {
                    if (writes_low) *(uint4*)to = unpacked_half(made);
                    if (writes_high) *((uint4*)to + 1) = unpacked_half(made >> 16);
                }
            }
            to += g.pitch;
        }
}

// Each warp, which is a block, makes a piece of a strip, or several if the strips alone are more than the warps.
__device__ __forceinline__ void step(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int nx, int ny, long long pitch) {
    const grid g{in, out, nx, ny, pitch};
    const int strips = (nx + WIDTH - 1) / WIDTH, most = max((int)gridDim.x / strips, 1);
    const int rows = max((ny + most - 1) / most, LEAST), pieces = (ny + rows - 1) / rows;
    for (int i = blockIdx.x; i < strips * pieces; i += gridDim.x) {
        const int left = i % strips * WIDTH - 16, first = i / strips * rows, last = min(first + rows, ny), x = left + threadIdx.x * 32;
        const bool inside = left >= 0 && left + 1024 <= nx && first >= STEPS + 2 && last + STEPS + 4 <= ny; // with all that is read and not used
        if (inside) stream<false>(g, x, first, last);
        else stream<true>(g, x, first, last);
    }
}
