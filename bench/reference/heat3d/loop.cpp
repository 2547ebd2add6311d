// Heat in three dimensions by hand on a processor, in float. Layout and ghosts: ../README.md; edges and corners of the frame are not used.
// h + r (west + east + north + south + above + below - 6 h)

// Out of line and without `__restrict`, as in ../heat2d/loop.cpp.
[[gnu::noinline]] static void row(const float* own, float* to, long long nx, long long pitch, long long plane, float r) {
    const float *north = own - pitch, *south = own + pitch, *above = own - plane, *below = own + plane;
#pragma omp simd
    for (long long x = 0; x < nx; ++x)
        to[x] = own[x] + r * (own[x - 1] + own[x + 1] + north[x] + south[x] + above[x] + below[x] - 6.0f * own[x]);
}

static void step(const float* in, float* out, long long nx, long long ny, long long nz, long long pitch, long long plane, float r,
                 long long first, long long last) {
    const auto bytes = static_cast<unsigned long>(nx) * sizeof(float);
    for (long long z = first; z < last; ++z)
        for (long long y = 0; y < ny; ++y) {
            float* to = out + z * plane + y * pitch;
            row(in + z * plane + y * pitch, to, nx, pitch, plane, r);
            to[-1] = to[nx - 1];
            to[nx] = to[0];
            if (y == 0) __builtin_memcpy(to + ny * pitch, to, bytes);
            if (y == ny - 1) __builtin_memcpy(to - ny * pitch, to, bytes);
            if (z == 0) __builtin_memcpy(to + nz * plane, to, bytes);
            if (z == nz - 1) __builtin_memcpy(to - nz * plane, to, bytes);
        }
}
