// Game of Life, one byte a cell in memory, 8 steps a launch: in registers a cell is a bit, and 32 cells of a row are one word, whose
// neighbours are counted with one bit of the count to a word.
//
// A warp streams down a strip of 1024 columns, 32 of them a lane. The last two rows of the start and of each step but the last are in
// registers: a row that comes in makes the one above it of the first step, that makes the one above it of the second, and so on through all
// steps. What is within 16 columns of the strip's sides, or 8 rows of its ends, is made for that alone and not written. Cells are 0 or 1.
// Layout and ghosts: ../README.md.
#define STEPS 8
#define WIDTH (1024 - 32) // columns that a warp writes: half a lane's less on each side, so that the halves stay aligned
#define LEAST 6           // rows that are worth a warp where all schedulers have one

typedef unsigned int word;

struct grid {
    const unsigned char* in;
    unsigned char* out;
    int nx, ny;
    long long pitch;
};

struct bytes { // 32 cells
    uint4 low, high;
};

__device__ __forceinline__ bytes bytes_at(const unsigned char* from) { return {__ldg((const uint4*)from), __ldg((const uint4*)from + 1)}; }

// 8 cells as the highest byte. The bits of both words are 0, 8, 16 and 24; the factor brings them together, and no two others meet.
__device__ __forceinline__ word packed(word cells, word next) { return (cells + (next << 4)) * 0x01020408u; }

__device__ __forceinline__ word packed(const uint4& c) { return packed(c.x, c.y) >> 24 | packed(c.z, c.w) >> 24 << 8; }

__device__ __forceinline__ word packed(const bytes& c) { return packed(c.low) | packed(c.high) << 16; }

// The 4 cells of a byte's lower or upper half.
__device__ __forceinline__ word unpacked(word half) { return (half & 15) * 0x00204081u & 0x01010101u; }

__device__ __forceinline__ uint4 unpacked_half(word cells) {
    return make_uint4(unpacked(cells), unpacked(cells >> 4), unpacked(cells >> 8), unpacked(cells >> 12));
}

// Reads rows y, y + 1, ... of a lane's columns x to x + 31.
template<bool Edge> struct reader {
    typedef bytes cells;
    const unsigned char* from;
    long long pitch;
    __device__ __forceinline__ reader(const grid& g, int x, int first) : from(g.in + first * g.pitch + x), pitch(g.pitch) {}
    __device__ __forceinline__ cells next() {
        const cells c = bytes_at(from);
        from += pitch;
        return c;
    }
    __device__ __forceinline__ word word_of(const cells& c) const { return packed(c); }
};

__device__ __forceinline__ word bits_below(int n) { return n < 32 ? (1u << n) - 1 : ~0u; }

__device__ __forceinline__ uint4 clean(const uint4& c) { // what is no cell may have any value
    return make_uint4(c.x & 0x01010101u, c.y & 0x01010101u, c.z & 0x01010101u, c.w & 0x01010101u);
}

__device__ __forceinline__ int wrapped(int i, int n) { return (i + 16 * n) % n; } // i >= -16

// Around the torus, if some of them are beyond the grid: those up to its right side, and the first 16 of the row, which follow. Beside a
// strip no more are of use. If there are fewer than 16, the row is repeated.
template<> struct reader<true> {
    struct cells {
        bytes own;
        uint4 following;
    };
    const unsigned char* in;
    long long pitch;
    int y, ny, column, shift, left; // left: columns up to the right side
    word own, following, repeated;  // bits of a word
    __device__ __forceinline__ reader(const grid& g, int x, int first)
        : in(g.in), pitch(g.pitch), y(wrapped(first, g.ny)), ny(g.ny), repeated(1) {
        x = wrapped(x, g.nx);
        column = x & ~15, shift = x & 15, left = min(g.nx - x, 31);
        own = bits_below(g.nx - x), following = bits_below(g.nx) & ~own;
        for (int n = g.nx; n < 32; n *= 2) repeated |= repeated << n;
    }
    __device__ __forceinline__ cells next() {
        const unsigned char* row = in + y * pitch;
        y = y + 1 == ny ? 0 : y + 1;
        return {bytes_at(row + column), __ldg((const uint4*)row)};
    }
    __device__ __forceinline__ word word_of(const cells& c) const {
        const word here = packed(bytes{clean(c.own.low), clean(c.own.high)}), there = packed(clean(c.following));
        return ((here >> shift & own) | (there << left & following)) * repeated;
    }
};

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

// Row `in`, the j-th that comes in, through all steps, or as many as it reaches while the first rows fill them. Row j is in rows[.][slot],
// its predecessors in the other two in turn.
template<bool Filling> __device__ __forceinline__ word take(row (&rows)[STEPS][3], word in, int j, int slot) {
#pragma unroll
    for (int s = 0; s < STEPS; ++s) {
        if (Filling && j < 2 * s) break;
        rows[s][slot] = row_of(in);
        in = next_of(rows[s][(slot + 1) % 3], rows[s][(slot + 2) % 3], rows[s][slot]);
    }
    return in;
}

// Rows [first, last) of a strip; x is this lane's first column.
template<bool Edge> __device__ __forceinline__ void stream(const grid& g, int x, int first, int last) {
    const int lane = threadIdx.x,
              nx = g.nx; // beyond the strip may be ghosts: x = -1 in the first lane's lower half, x = nx in the last one's upper half
    const bool writes_low = lane > 0 && x <= nx, writes_high = x + 16 <= nx && (lane < 31 || x + 16 == nx), writes_ghost = x == -16;
    row rows[STEPS][3] = {};
    reader<Edge> in(g, x, first - STEPS - 2); // two rows more than it needs, so that whole rounds of three rows fill it
    typename reader<Edge>::cells ahead[3];    // two rows are on their way
    unsigned char* to = g.out + first * g.pitch + x;
    ahead[0] = in.next();
    ahead[1] = in.next();
#pragma unroll 1
    for (int j = -2; j < 2 * STEPS; j += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            ahead[(i + 2) % 3] = in.next();
            take<true>(rows, in.word_of(ahead[i]), j + i, i);
        }
#pragma unroll 1
    for (int y = first; y < last; y += 3)
#pragma unroll
        for (int i = 0; i < 3; ++i) {
            ahead[(i + 2) % 3] = in.next();
            const word made = take<false>(rows, in.word_of(ahead[i]), 0, i);
            if (y + i < last) {
                if (writes_low) *(uint4*)to = unpacked_half(made);
                if (writes_high) *((uint4*)to + 1) = unpacked_half(made >> 16);
                if (Edge && writes_ghost) to[15] = made >> 15 & 1;
            }
            to += g.pitch;
        }
}

// Rows of a piece, in whole rounds of three, so that there are no more than `most` pieces.
__device__ __forceinline__ int piece(int height, int most) { return (height + 3 * most - 1) / (3 * most) * 3; }

// Each warp, which is a block, makes a piece of a strip, or several if the strips alone are more than the warps. A third of the warps is
// one for each scheduler.
__device__ __forceinline__ void step(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int nx, int ny,
                                     long long pitch) {
    const grid g{in, out, nx, ny, pitch};
    const int height = ny + 2; // with the ghosts, which are made like any other row
    const int strips = (nx + WIDTH - 1) / WIDTH, most = max((int)gridDim.x / strips, 1);
    const int rows = max(piece(height, most), min(piece(height, max(most / 3, 1)), LEAST)), pieces = (height + rows - 1) / rows;
    for (int i = blockIdx.x; i < strips * pieces; i += gridDim.x) {
        const int left = i % strips * WIDTH - 16, first = i / strips * rows - 1, last = min(first + rows, ny + 1),
                  x = left + threadIdx.x * 32;
        const bool inside =
            left >= 0 && left + 1024 <= nx && first >= STEPS + 2 && last + STEPS + 4 <= ny; // with all that is read and not used
        if (inside)
            stream<false>(g, x, first, last);
        else
            stream<true>(g, x, first, last);
    }
}
