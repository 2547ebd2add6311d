// Life in three dimensions by hand on a processor, one byte a cell. Layout and ghosts: ../README.md.

// Out of line and without `__restrict`, as in ../life/loop.cpp. `up` is the row at y - 1 of the plane before.
[[gnu::noinline]] static void row(const unsigned char* up, unsigned char* to, long long nx, long long pitch, long long plane) {
#pragma omp simd
    for (long long x = 0; x < nx; ++x) {
        int n = 0;
        for (int dz = 0; dz < 3; ++dz)
            for (int dy = 0; dy < 3; ++dy) {
                const unsigned char* from = up + dz * plane + dy * pitch + x;
                n += from[-1] + from[0] + from[1];
            }
        const int own = up[plane + pitch + x];
        to[x] = static_cast<unsigned char>((n == 5) | ((n == 6) & own));
    }
}

static void step(const unsigned char* in, unsigned char* out, long long nx, long long ny, long long nz, long long pitch, long long plane,
                 long long first, long long last) {
    const auto bytes = static_cast<unsigned long>(nx + 2);
    for (long long z = first; z < last; ++z) {
        for (long long y = 0; y < ny; ++y) {
            unsigned char* to = out + z * plane + y * pitch;
            row(in + (z - 1) * plane + (y - 1) * pitch, to, nx, pitch, plane);
            to[-1] = to[nx - 1];
            to[nx] = to[0];
        }
        unsigned char* to = out + z * plane;
        __builtin_memcpy(to - pitch - 1, to + (ny - 1) * pitch - 1, bytes);
        __builtin_memcpy(to + ny * pitch - 1, to - 1, bytes);
        for (long long y = -1; y <= ny; ++y) {
            if (z == 0) __builtin_memcpy(to + nz * plane + y * pitch - 1, to + y * pitch - 1, bytes);
            if (z == nz - 1) __builtin_memcpy(to - nz * plane + y * pitch - 1, to + y * pitch - 1, bytes);
        }
    }
}
