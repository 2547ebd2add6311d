// Game of Life by hand on a processor, one byte a cell. Layout and ghosts: ../README.md.

// Out of line and without `__restrict`: where clang 14 can tell the rows apart, it carries loads over from one cell to the next and then
// cannot vectorise. The pragma says all that is needed.
[[gnu::noinline]] static void row(const unsigned char* up, const unsigned char* own, const unsigned char* down, unsigned char* to,
                                  long long nx) {
#pragma omp simd
    for (long long x = 0; x < nx; ++x) {
        const int n = up[x - 1] + up[x] + up[x + 1] + own[x - 1] + own[x + 1] + down[x - 1] + down[x] + down[x + 1];
        to[x] = static_cast<unsigned char>((n == 3) | ((n == 2) & own[x]));
    }
}

static void step(const unsigned char* in, unsigned char* out, long long nx, long long ny, long long pitch, long long first,
                 long long last) {
    for (long long y = first; y < last; ++y) {
        const unsigned char* own = in + y * pitch;
        unsigned char* to = out + y * pitch;
        row(own - pitch, own, own + pitch, to, nx);
        to[-1] = to[nx - 1];
        to[nx] = to[0];
        if (y == 0) __builtin_memcpy(to + ny * pitch - 1, to - 1, static_cast<unsigned long>(nx + 2));
        if (y == ny - 1) __builtin_memcpy(to - ny * pitch - 1, to - 1, static_cast<unsigned long>(nx + 2));
    }
}
