// Wave2D by hand on a processor, in place: before = 2 now - before + k (west + east + north + south - 4 now), and 0 on the edge, in float.
// Layout: ../README.md.

// Out of line and without `__restrict`: see ../heat2d/loop.cpp.
[[gnu::noinline]] static void row(const float* up, const float* own, const float* down, float* before, long long nx, float k) {
#pragma omp simd
    for (long long x = 1; x < nx - 1; ++x)
        before[x] = 2.0f * own[x] - before[x] + k * (own[x - 1] + own[x + 1] + up[x] + down[x] - 4.0f * own[x]);
}

static void step(const float* now, float* before, long long nx, long long ny, long long pitch, float k, long long first, long long last) {
    for (long long y = first; y < last; ++y) {
        const float* own = now + y * pitch;
        float* to = before + y * pitch;
        if (y > 0 && y < ny - 1)
            row(own - pitch, own, own + pitch, to, nx, k);
        else
            __builtin_memset(to, 0, static_cast<unsigned long>(nx) * sizeof(float));
        to[0] = to[nx - 1] = 0;
    }
}
