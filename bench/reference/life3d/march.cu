// Life in three dimensions, one byte a cell: 16 cells of ROWS rows a thread, which marches over PLANES planes. The four cells of a 32-bit
// word are added at once; of each plane the sums over three rows and three columns stay in registers.
// Cells are 0 or 1. Layout and ghosts: ../README.md.
#define ROWS 2
#define PLANES 4
#define WORDS 4

typedef unsigned int word;

struct plane_of_cells { // of each cell, and in each byte the sum of the nine cells around and with it
    word own[ROWS][WORDS], sum[ROWS][WORDS];
};

__device__ __forceinline__ plane_of_cells load_plane(const unsigned char* first, const int (&row)[ROWS + 2], long long pitch) {
    word cells[ROWS + 2][WORDS], left[ROWS + 2], right[ROWS + 2];
#pragma unroll
    for (int j = 0; j < ROWS + 2; ++j) {
        const unsigned char* from = first + row[j] * pitch;
        const uint4 four = __ldg((const uint4*)from);
        cells[j][0] = four.x, cells[j][1] = four.y, cells[j][2] = four.z, cells[j][3] = four.w;
        left[j] = __ldg(from - 1), right[j] = __ldg(from + 16);
    }
    plane_of_cells plane;
#pragma unroll
    for (int j = 0; j < ROWS; ++j) {
        word column[WORDS];
        const word before = left[j] + left[j + 1] + left[j + 2], after = right[j] + right[j + 1] + right[j + 2];
#pragma unroll
        for (int i = 0; i < WORDS; ++i) {
            plane.own[j][i] = cells[j + 1][i];
            column[i] = cells[j][i] + cells[j + 1][i] + cells[j + 2][i];
        }
#pragma unroll
        for (int i = 0; i < WORDS; ++i) {
            const word west = column[i] << 8 | (i > 0 ? column[i > 0 ? i - 1 : 0] >> 24 : before);
            const word east = column[i] >> 8 | (i + 1 < WORDS ? column[i + 1 < WORDS ? i + 1 : 0] : after) << 24;
            plane.sum[j][i] = west + column[i] + east;
        }
    }
    return plane;
}

// The sum has the cell itself: it is 5 for a dead cell with 5 neighbours and a living one with 4, and 6 for a living one with 5. The bytes
// are below 32, so that 32 - d has its bit 5 set where d is 0, and no borrow.
__device__ __forceinline__ word next_of(word sum, word own) {
    const word with_five = (0x20202020u - (sum ^ 0x05050505u)) >> 5, with_six = (0x20202020u - (sum ^ 0x06060606u)) >> 5;
    return (with_five | (with_six & own)) & 0x01010101u;
}

// Writes the rows of ghosts that repeat a row's cells [x, x + 16); those at the sides of the row are written with it.
__device__ __noinline__ void write_ghosts(unsigned char* out, int x, int y, int z, int nx, int ny, int nz, long long pitch,
                                          long long plane) {
    const unsigned char* from = out + z * plane + y * pitch;
    for (int gz = -1; gz <= 1; ++gz)
        for (int gy = -1; gy <= 1; ++gy) {
            if ((gz == 0 && gy == 0) || (gz != 0 && z != (gz < 0 ? nz - 1 : 0)) || (gy != 0 && y != (gy < 0 ? ny - 1 : 0))) continue;
            unsigned char* to = out + (z + gz * (long long)nz) * plane + (y + gy * (long long)ny) * pitch;
            for (int i = x; i < x + 16 && i < nx; ++i) {
                to[i] = from[i];
                if (i == 0) to[nx] = from[i];
                if (i == nx - 1) to[-1] = from[i];
            }
        }
}

// Whole: all of the thread's cells are in the grid.
template<bool Whole>
__device__ __forceinline__ void march(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int x, int first, int top,
                                      int nx, int ny, int nz, long long pitch, long long plane) {
    int row[ROWS + 2]; // none beyond the last row of ghosts
#pragma unroll
    for (int j = 0; j < ROWS + 2; ++j) row[j] = Whole || first + j - 1 < ny ? first + j - 1 : ny;
    const unsigned char* from = in + x + (top - 1) * plane;
    plane_of_cells above = load_plane(from, row, pitch), here = load_plane(from + plane, row, pitch);
#pragma unroll 2
    for (int k = 0; k < PLANES; ++k) {
        const int z = top + k;
        if (!Whole && z >= nz) return;
        const plane_of_cells below = load_plane(from + (k + 2) * plane, row, pitch);
#pragma unroll
        for (int j = 0; j < ROWS; ++j) {
            if (!Whole && first + j >= ny) break;
            word cells[WORDS];
#pragma unroll
            for (int i = 0; i < WORDS; ++i) cells[i] = next_of(above.sum[j][i] + here.sum[j][i] + below.sum[j][i], here.own[j][i]);
            unsigned char* to = out + z * plane + (first + j) * pitch + x;
            if (Whole)
                *(uint4*)to = make_uint4(cells[0], cells[1], cells[2], cells[3]);
            else
#pragma unroll
                for (int i = 0; i < 16; ++i)
                    if (x + i < nx) to[i] = cells[i / 4] >> i % 4 * 8;
            if (x == 0) to[nx] = cells[0];
            if (x + 16 >= nx) to[-x - 1] = Whole ? cells[WORDS - 1] >> 24 : to[nx - 1 - x];
            const int y = first + j;
            if (y == 0 || y == ny - 1 || z == 0 || z == nz - 1) write_ghosts(out, x, y, z, nx, ny, nz, pitch, plane);
        }
        above = here;
        here = below;
    }
}

__device__ __forceinline__ void step(const unsigned char* __restrict__ in, unsigned char* __restrict__ out, int nx, int ny, int nz,
                                     long long pitch, long long plane) {
    const int x = (blockIdx.x * 32 + threadIdx.x) * 16, first = (blockIdx.y * 4 + threadIdx.y) * ROWS, top = blockIdx.z * PLANES;
    if (x >= nx || first >= ny) return;
    if (x + 16 <= nx && first + ROWS <= ny && top + PLANES <= nz)
        march<true>(in, out, x, first, top, nx, ny, nz, pitch, plane);
    else
        march<false>(in, out, x, first, top, nx, ny, nz, pitch, plane);
}
