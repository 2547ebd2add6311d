// Wave2D as a plain C++ program of one thread: z' = 2 z - before + k (west + east + north + south - 4 z), and 0 on the edge.
//
// sequential WIDTH HEIGHT STEPS [FILE] prints microseconds a step and a checksum of the state after them, and writes that state to FILE:
// floats, row by row. How it is built: ../../by_hand.sh.
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <utility>
#include <vector>

constexpr float k = 0.0025f;

static bool in_middle(long i, long n) { return i > 40 * (n / 100) && i < 60 * (n / 100); }

static void step(const float* __restrict__ now, float* __restrict__ before, long width, long height) {
    for (long y = 1; y < height - 1; ++y) {
        const float *own = now + y * width, *up = own - width, *down = own + width;
        float* to = before + y * width;
        for (long x = 1; x < width - 1; ++x) to[x] = 2 * own[x] - to[x] + k * (own[x - 1] + own[x + 1] + up[x] + down[x] - 4 * own[x]);
    }
}

static std::uint64_t checksum(const std::vector<float>& values) {
    std::uint64_t sum = 0;
    for (const float value : values) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        sum = sum * 31 + bits;
    }
    return sum;
}

int main(int count, char** words) {
    if (count < 4) return std::fprintf(stderr, "usage: sequential WIDTH HEIGHT STEPS [FILE]\n"), 2;
    const long width = std::atol(words[1]), height = std::atol(words[2]), steps = std::atol(words[3]);
    if (width < 3 || height < 3 || steps < 1) return std::fprintf(stderr, "sequential: a membrane has 3 x 3 places at least\n"), 2;
    std::vector<float> now(width * height), before(width * height);
    for (long y = 0; y < height; ++y)
        for (long x = 0; x < width; ++x) now[y * width + x] = in_middle(x, width) && in_middle(y, height) ? 20.0f : 0.0f;
    for (long y = 1; y < height - 1; ++y) // at rest: the next state is the last one
        for (long i = y * width + 1; i < (y + 1) * width - 1; ++i)
            before[i] = now[i] + k / 2 * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4 * now[i]);

    const auto begin = std::chrono::steady_clock::now();
    for (long t = 0; t < steps; ++t) {
        step(now.data(), before.data(), width, height);
        std::swap(now, before);
    }
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    std::printf("%.3f %016llx\n", time.count() / steps, static_cast<unsigned long long>(checksum(now)));
    if (count > 4) {
        std::FILE* file = std::fopen(words[4], "wb");
        const bool written = file && std::fwrite(now.data(), sizeof(float), now.size(), file) == now.size();
        if (!file || std::fclose(file) != 0 || !written) return std::fprintf(stderr, "sequential: cannot write %s\n", words[4]), 1;
    }
}
