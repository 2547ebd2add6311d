// Heat2D by hand on a processor: h + r (west + east + north + south - 4 h), in float. Layout and ghosts: ../README.md.

// Out of line and without `__restrict`: where clang 14 can tell the rows apart, it carries loads over from one place to the next and then
// cannot vectorise. The pragma says all that is needed.
[[gnu::noinline]] static void row(const float* up, const float* own, const float* down, float* to, long long nx, float r) {
#pragma omp simd
    for (long long x = 0; x < nx; ++x) to[x] = own[x] + r * (own[x - 1] + own[x + 1] + up[x] + down[x] - 4.0f * own[x]);
}

static void step(const float* in, float* out, long long nx, long long ny, long long pitch, float r, long long first, long long last) {
    for (long long y = first; y < last; ++y) {
        const float* own = in + y * pitch;
        float* to = out + y * pitch;
        row(own - pitch, own, own + pitch, to, nx, r);
        to[-1] = to[nx - 1];
        to[nx] = to[0];
        if (y == 0) __builtin_memcpy(to + ny * pitch, to, static_cast<unsigned long>(nx) * sizeof(float));
        if (y == ny - 1) __builtin_memcpy(to - ny * pitch, to, static_cast<unsigned long>(nx) * sizeof(float));
    }
}
