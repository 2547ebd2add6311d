// Wave2D on several GPUs in plain CUDA: z' = 2 z - before + k (west + east + north + south - 4 z), and 0 on the edge; one step at a time.
//
// Each GPU has a stripe of rows and a ghost row at either end. In each step it makes its first and its last row at once, on a stream of
// high priority, and stores them into its neighbours' ghost rows as well; the rows between are made meanwhile. Nothing else is exchanged,
// and the host waits for nothing.
//
// several_gpus GPUS WIDTH HEIGHT STEPS [FILE] prints microseconds a step, of launches one by one and of graphs of 50 steps, and a checksum
// of the state after all that was timed, which is 11 x STEPS steps, and writes that state to FILE: floats, row by row. How it is built:
// ../../by_hand.sh.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

constexpr float k = 0.0025f;
constexpr int steps_a_graph = 50, rows_a_thread = 4;

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "several_gpus: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

struct Stripe {
    int device, top, rows;      // rows of the membrane from `top` on
    int width, height, pitch;   // of the membrane, in floats
    float* z[2];                // of its place (0, 0), in the device's memory; at even times the state is z[0], and z[1] the one before
    cudaStream_t seams, inside; // of which the first goes before
    cudaEvent_t seams_made[2], inside_made[2]; // of even and of odd steps
};

__device__ float lifted(int x, int y, const Stripe& s) { // the state in the beginning
    const auto in_middle = [](int i, int n) { return i > 40 * (n / 100) && i < 60 * (n / 100); };
    return in_middle(x, s.width) && in_middle(y, s.height) ? 20.0f : 0.0f;
}

__global__ void start(Stripe s) { // with the ghost rows
    const int x = blockIdx.x * blockDim.x + threadIdx.x, row = int(blockIdx.y) - 1, y = s.top + row;
    if (x >= s.width) return;
    const float z = lifted(x, y, s);
    const bool edge = x == 0 || x == s.width - 1 || y <= 0 || y >= s.height - 1;
    const float pull = lifted(x - 1, y, s) + lifted(x + 1, y, s) + lifted(x, y - 1, s) + lifted(x, y + 1, s) - 4 * z;
    s.z[0][(long long)row * s.pitch + x] = z;
    s.z[1][(long long)row * s.pitch + x] = edge ? 0.0f : z + k / 2 * pull; // at rest: the next state is the last one
}

__device__ float next_of(float own, float before, float west, float east, float up, float down) {
    return 2 * own - before + k * (west + east + up + down - 4 * own);
}

// The first row and the last, which are other GPUs' ghosts: `above` and `below`, or null.
__global__ void make_seams(Stripe s, const float* __restrict__ now, float* __restrict__ before, float* above, float* below) {
    const int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y == 0 ? 0 : s.rows - 1, y = s.top + row;
    if (x >= s.width) return;
    const float* own = now + (long long)row * s.pitch + x;
    float* to = before + (long long)row * s.pitch + x;
    const bool edge = x == 0 || x == s.width - 1 || y == 0 || y == s.height - 1;
    const float z = edge ? 0.0f : next_of(*own, *to, own[-1], own[1], own[-s.pitch], own[s.pitch]);
    *to = z;
    float* ghosts = blockIdx.y == 0 ? above : below;
    if (ghosts) ghosts[x] = z;
}

// Whole: all 4 places of all rows are there and none on the edge, so that nothing stands between the loads.
template<bool Whole> __device__ void slide(const Stripe& s, const float* __restrict__ now, float* __restrict__ before, int x, int first) {
    const float* from = now + (long long)first * s.pitch + x;
    float* to = before + (long long)first * s.pitch + x;
    float4 up = __ldg((const float4*)(from - s.pitch)), own = __ldg((const float4*)from);
#pragma unroll
    for (int j = 0; j < rows_a_thread; ++j, from += s.pitch, to += s.pitch) {
        if (!Whole && first + j >= s.rows - 1) return;
        const float west = __ldg(from - 1), east = __ldg(from + 4);
        const float4 down = __ldg((const float4*)(from + s.pitch));
        float4 z = *(const float4*)to;
        z.x = Whole || x > 0 ? next_of(own.x, z.x, west, own.y, up.x, down.x) : 0.0f;
        z.y = Whole || x + 1 < s.width - 1 ? next_of(own.y, z.y, own.x, own.z, up.y, down.y) : 0.0f;
        z.z = Whole || x + 2 < s.width - 1 ? next_of(own.z, z.z, own.y, own.w, up.z, down.z) : 0.0f;
        z.w = Whole || x + 3 < s.width - 1 ? next_of(own.w, z.w, own.z, east, up.w, down.w) : 0.0f;
        if (!Whole && x == s.width - 1) z.x = 0.0f;
        *(float4*)to = z; // a row has room for whole ones
        up = own;
        own = down;
    }
}

__global__ void make_inside(Stripe s, const float* __restrict__ now, float* __restrict__ before) {
    const int x = (blockIdx.x * blockDim.x + threadIdx.x) * 4, first = 1 + (blockIdx.y * blockDim.y + threadIdx.y) * rows_a_thread;
    if (x >= s.width || first >= s.rows - 1) return;
    if (x > 0 && x + 4 < s.width && first + rows_a_thread <= s.rows - 1)
        slide<true>(s, now, before, x, first);
    else
        slide<false>(s, now, before, x, first);
}

static unsigned blocks(int items, int of) { return unsigned((items + of - 1) / of); }

// Rows of a step are read by the next, whose rows replace those of the step before: so every task waits for what stood beside its own rows.
static void queue_step(std::vector<Stripe>& stripes, int t) {
    const int last = 1 - t % 2;
    for (std::size_t i = 0; i < stripes.size(); ++i) {
        Stripe& s = stripes[i];
        check(cudaSetDevice(s.device));
        Stripe *up = i > 0 ? &stripes[i - 1] : nullptr, *down = i + 1 < stripes.size() ? &stripes[i + 1] : nullptr;
        if (t > 0) {
            for (Stripe* other : {up, down})
                if (other) check(cudaStreamWaitEvent(s.seams, other->seams_made[last], 0));
            check(cudaStreamWaitEvent(s.seams, s.inside_made[last], 0));
            check(cudaStreamWaitEvent(s.inside, s.seams_made[last], 0));
        }
        const float* now = s.z[t % 2];
        float* before = s.z[last];
        float* above = up ? up->z[last] + (long long)up->rows * up->pitch : nullptr;
        float* below = down ? down->z[last] - down->pitch : nullptr;
        make_seams<<<dim3(blocks(s.width, 128), 2), 128, 0, s.seams>>>(s, now, before, above, below);
        check(cudaEventRecord(s.seams_made[t % 2], s.seams));
        make_inside<<<dim3(blocks(s.width, 128), blocks(s.rows - 2, 4 * rows_a_thread)), dim3(32, 4), 0, s.inside>>>(s, now, before);
        check(cudaEventRecord(s.inside_made[t % 2], s.inside));
    }
}

static void synchronize(const std::vector<Stripe>& stripes) {
    for (const Stripe& s : stripes) {
        check(cudaSetDevice(s.device));
        check(cudaDeviceSynchronize());
    }
}

static Stripe make_stripe(int device, int top, int rows, int width, int height) {
    Stripe s{device, top, rows, width, height, (width + 31) / 32 * 32, {}, {}, {}, {}, {}};
    check(cudaSetDevice(device));
    const std::size_t floats = std::size_t(rows + 2) * s.pitch;
    for (float*& z : s.z) { // 32 floats before the first row, and after the last, are read and never used
        check(cudaMalloc((void**)&z, (floats + 64) * sizeof(float)));
        z += 32 + s.pitch;
    }
    int low = 0, high = 0;
    check(cudaDeviceGetStreamPriorityRange(&low, &high));
    check(cudaStreamCreateWithPriority(&s.seams, cudaStreamNonBlocking, high));
    check(cudaStreamCreateWithPriority(&s.inside, cudaStreamNonBlocking, low));
    for (cudaEvent_t* event : {s.seams_made, s.seams_made + 1, s.inside_made, s.inside_made + 1})
        check(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    start<<<dim3(blocks(width, 128), unsigned(rows + 2)), 128, 0, s.inside>>>(s);
    check(cudaGetLastError());
    return s;
}

// All devices' streams branch off the first one's, and end in it.
static cudaGraphExec_t make_graph(std::vector<Stripe>& stripes) {
    cudaStream_t first = stripes[0].inside;
    cudaEvent_t begun = stripes[0].inside_made[1]; // a step's own comes only after
    check(cudaSetDevice(stripes[0].device));
    check(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    check(cudaEventRecord(begun, first));
    for (const Stripe& s : stripes)
        for (cudaStream_t stream : {s.seams, s.inside})
            if (stream != first) check(cudaStreamWaitEvent(stream, begun, 0));
    for (int t = 0; t < steps_a_graph; ++t) queue_step(stripes, t);
    for (const Stripe& s : stripes)
        for (cudaEvent_t made : {s.seams_made[1], s.inside_made[1]}) check(cudaStreamWaitEvent(first, made, 0));
    cudaGraph_t graph;
    cudaGraphExec_t executable;
    check(cudaSetDevice(stripes[0].device));
    check(cudaStreamEndCapture(first, &graph));
    check(cudaGraphInstantiate(&executable, graph, 0));
    return executable;
}

template<class Make> static double microseconds(std::vector<Stripe>& stripes, int steps, const Make& make_steps) { // a step; median of 5
    double samples[5];
    for (double& sample : samples) {
        const auto begin = std::chrono::steady_clock::now();
        make_steps();
        synchronize(stripes);
        sample = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count() / steps;
    }
    std::sort(samples, samples + 5);
    return samples[2];
}

int main(int count, char** words) {
    if (count < 5) return std::fprintf(stderr, "usage: several_gpus GPUS WIDTH HEIGHT STEPS [FILE]\n"), 2;
    const int gpus = std::atoi(words[1]), width = std::atoi(words[2]), height = std::atoi(words[3]), steps = std::atoi(words[4]);
    if (gpus < 1 || width < 3 || height < 3 * gpus || steps < steps_a_graph || steps % steps_a_graph != 0)
        return std::fprintf(stderr, "several_gpus: 3 rows a GPU at least, and steps in multiples of %d\n", steps_a_graph), 2;
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    if (devices < gpus) std::fprintf(stderr, "several_gpus: %d stripes share %d GPU%s\n", gpus, devices, devices == 1 ? "" : "s");
    for (int i = 0; i + 1 < std::min(gpus, devices); ++i)
        for (int one : {i, i + 1}) {
            check(cudaSetDevice(one));
            check(cudaDeviceEnablePeerAccess(2 * i + 1 - one, 0));
        }
    std::vector<Stripe> stripes;
    for (int i = 0; i < gpus; ++i) {
        const int top = int((long long)height * i / gpus), end = int((long long)height * (i + 1) / gpus);
        stripes.push_back(make_stripe(i * std::min(devices, gpus) / gpus, top, end - top, width, height));
    }
    synchronize(stripes);

    const auto launch = [&] {
        for (int t = 0; t < steps; ++t) queue_step(stripes, t);
    };
    launch(); // once, to warm up
    synchronize(stripes);
    const double launched = microseconds(stripes, steps, launch);
    const cudaGraphExec_t graph = make_graph(stripes);
    check(cudaSetDevice(stripes[0].device));
    const double replayed = microseconds(stripes, steps, [&] {
        check(cudaSetDevice(stripes[0].device));
        for (int t = 0; t < steps; t += steps_a_graph) check(cudaGraphLaunch(graph, stripes[0].inside));
    });
    std::vector<float> state;
    for (const Stripe& s : stripes) {
        state.resize(state.size() + std::size_t(s.rows) * width);
        check(cudaSetDevice(s.device));
        check(cudaMemcpy2D(&state[std::size_t(s.top) * width], width * sizeof(float), s.z[0], s.pitch * sizeof(float),
                           width * sizeof(float), s.rows, cudaMemcpyDeviceToHost));
    }
    std::uint64_t sum = 0;
    for (const float value : state) {
        std::uint32_t bits;
        std::memcpy(&bits, &value, sizeof bits);
        sum = sum * 31 + bits;
    }
    std::printf("%.3f %.3f %016llx\n", launched, replayed, (unsigned long long)sum);
    if (count > 5) {
        std::FILE* file = std::fopen(words[5], "wb");
        const bool written = file && std::fwrite(state.data(), sizeof(float), state.size(), file) == state.size();
        if (!file || std::fclose(file) != 0 || !written) return std::fprintf(stderr, "several_gpus: cannot write %s\n", words[5]), 1;
    }
}
