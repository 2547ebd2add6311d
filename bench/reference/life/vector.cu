// Game of Life, one byte a cell, 16 cells and ROWS rows a thread: the four cells of a 32-bit word are added at once, and the sums of
// three rows stay in registers.
// Cells are 0 or 1. Layout and ghosts: ../README.md.
#define ROWS 8

typedef unsigned int word;

struct row { // 16 cells, and in each byte the sum of the cell and those to its left and right
    word own[4], sum[4];
};

__device__ __forceinline__ row load_row(const unsigned char* at) {
    const uint4 middle = __ldg((const uint4*)at);
    const word w[6] = {__ldg((const word*)(at - 4)), middle.x, middle.y, middle.z, middle.w, __ldg((const word*)(at + 16))};
    row r;
#pragma unroll
    for (int i = 0; i < 4; ++i) {
        const word left = w[i + 1] << 8 | w[i] >> 24, right = w[i + 1] >> 8 | w[i + 2] << 24;
        r.own[i] = w[i + 1];
        r.sum[i] = left + w[i + 1] + right;
    }
    return r;
}

// (neighbours | alive) == 3 is the rule; the bytes are below 16, so that 16 - d has its bit 4 set where d is 0, and no borrow.
__device__ __forceinline__ word next_of(word up, word middle, word down, word own) {
    const word neighbours = up + middle + down - own, d = (neighbours | own) ^ 0x03030303u;
    return (0x10101010u - d) >> 4 & 0x01010101u;
}

// Whole: all 16 cells of all ROWS rows are in the grid, so that nothing stands between the loads, which are then all in flight at once.
template<bool Whole>
__device__ __forceinline__ void slide(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int x, int first, int nx,
                                      int ny, long long pitch) {
    const unsigned char* from = in + first * pitch + x;
    row up = load_row(from - pitch), middle = load_row(from);
#pragma unroll
    for (int j = 0; j < ROWS; ++j) {
        if (!Whole && first + j >= ny) return;
        const row down = load_row(from + (j + 1) * pitch);
        word cells[4];
#pragma unroll
        for (int i = 0; i < 4; ++i) cells[i] = next_of(up.sum[i], middle.sum[i], down.sum[i], middle.own[i]);
        unsigned char* to = out + (first + j) * pitch + x;
        if (Whole)
            *(uint4*)to = make_uint4(cells[0], cells[1], cells[2], cells[3]);
        else
#pragma unroll
            for (int i = 0; i < 16; ++i)
                if (x + i < nx) to[i] = cells[i / 4] >> i % 4 * 8;
        up = middle;
        middle = down;
    }
}

// Writes the ghosts that repeat what this thread wrote: cells [x, x + 16) of rows [first, first + ROWS).
__device__ __noinline__ void write_ghosts(unsigned char* out, int x, int first, int nx, int ny, long long pitch) {
    for (int y = first; y < first + ROWS && y < ny; ++y)
        for (int gy = -1; gy <= 1; ++gy) {
            if (gy != 0 && y != (gy < 0 ? ny - 1 : 0)) continue;
            const unsigned char* from = out + y * pitch;
            unsigned char* to = out + (y + gy * (long long)ny) * pitch;
            for (int i = x; i < x + 16 && i < nx; ++i) {
                if (gy != 0) to[i] = from[i];
                if (i == 0) to[nx] = from[i];
                if (i == nx - 1) to[-1] = from[i];
            }
        }
}

__device__ __forceinline__ void step(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int nx, int ny,
                                     long long pitch) {
    const int x = (blockIdx.x * 32 + threadIdx.x) * 16, first = (blockIdx.y * 4 + threadIdx.y) * ROWS;
    if (x >= nx || first >= ny) return;
    if (x + 16 <= nx && first + ROWS <= ny)
        slide<true>(in, out, x, first, nx, ny, pitch);
    else
        slide<false>(in, out, x, first, nx, ny, pitch);
    if (x == 0 || x + 16 >= nx || first == 0 || first + ROWS >= ny) write_ghosts(out, x, first, nx, ny, pitch);
}
