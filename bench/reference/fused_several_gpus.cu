// Heat2D, or with -DWAVE2D Wave2D, on several GPUs in plain CUDA: 8 steps a launch, by the kernel for one GPU in fused.cu of the model.
//
// Each GPU has a stripe of rows and 8 ghost rows where it has a neighbour, and makes all of them: what is wrong at the ends of such a grid
// comes one row farther with each step and has not left the ghosts after 8. Then it fetches them anew. Heat2D is on a torus, whose stripes
// are a ring.
//
// fused_several_gpus GPUS WIDTH HEIGHT STEPS [FILE] prints microseconds a step, of launches one by one and of graphs of 96 steps, and a
// checksum of the state after all that was timed, which is 11 x STEPS steps, and writes that state to FILE: floats, row by row. How it is
// built: ../by_hand.sh.
#include <cuda_runtime.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <vector>

#ifdef WAVE2D
#include "wave2d/fused.cu"
constexpr int members = 2;
constexpr bool torus = false;
#else
#include "heat2d/fused.cu"
constexpr int members = 1;
constexpr bool torus = true;
#endif
#ifndef LAUNCHES
#define LAUNCHES 12 // of a graph: an even number
#endif

static void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "fused_several_gpus: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

struct State {
    float* member[members];
};

struct Stripe {
    int device, top, rows, above, below; // rows of the grid from `top` on, and ghosts
    int width, height, pitch;            // of the grid, in floats
    int warps;                           // of a launch: as many as the device holds at once
    State states[2];                     // from place (0, 0) of the first row, ghosts included; the first after an even number of launches
    cudaStream_t stream;
    cudaEvent_t made[2]; // of even and of odd launches
    __host__ __device__ int all_rows() const { return above + rows + below; }
};

#ifdef WAVE2D
constexpr float k = 0.0025f;

__device__ float lifted(int x, int y, const Stripe& s) {
    const auto in_middle = [](int i, int n) { return i > 40 * (n / 100) && i < 60 * (n / 100); };
    return in_middle(x, s.width) && in_middle(y, s.height) ? 20.0f : 0.0f;
}
__device__ void start_place(const Stripe& s, int x, int y, long long place) { // at rest: the next state is the last one
    const float z = lifted(x, y, s);
    const bool edge = x == 0 || x == s.width - 1 || y == 0 || y == s.height - 1;
    const float pull = lifted(x - 1, y, s) + lifted(x + 1, y, s) + lifted(x, y - 1, s) + lifted(x, y + 1, s) - 4 * z;
    s.states[0].member[0][place] = z;
    s.states[0].member[1][place] = edge ? 0.0f : z + k / 2 * pull;
}
__global__ void __launch_bounds__(32) make(State from, State to, int nx, int ny, long long pitch) {
    step(from.member[0], from.member[1], to.member[0], to.member[1], nx, ny, pitch, k);
}
#else
__device__ void start_place(const Stripe& s, int x, int y, long long place) {
    s.states[0].member[0][place] = float((x * 7919u + y * 104729u) % 1000u) * 0.019f;
}
__global__ void __launch_bounds__(32) make(State from, State to, int nx, int ny, long long pitch) {
    step(from.member[0], to.member[0], nx, ny, pitch, 0.2f);
}
#endif

__global__ void start(Stripe s) { // with the ghosts
    const int x = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y;
    if (x < s.width) start_place(s, x, (s.top - s.above + row + s.height) % s.height, (long long)row * s.pitch + x);
}

static void queue_launch(std::vector<Stripe>& stripes, int t) {
    const int count = int(stripes.size()), next = 1 - t % 2;
    for (Stripe& s : stripes) {
        check(cudaSetDevice(s.device));
        make<<<s.warps, 32, 0, s.stream>>>(s.states[t % 2], s.states[next], s.width, s.all_rows(), s.pitch);
        check(cudaEventRecord(s.made[t % 2], s.stream));
    }
    for (int i = 0; i < count; ++i) { // ghosts; who overwrites what is fetched here has fetched, and so waited, since
        Stripe& s = stripes[i];
        const Stripe &up = stripes[(i + count - 1) % count], &down = stripes[(i + 1) % count];
        check(cudaSetDevice(s.device));
        if (s.above > 0) check(cudaStreamWaitEvent(s.stream, up.made[t % 2], 0));
        if (s.below > 0) check(cudaStreamWaitEvent(s.stream, down.made[t % 2], 0));
        for (int m = 0; m < members; ++m) {
            float* own = s.states[next].member[m];
            const std::size_t bytes = std::size_t(STEPS) * s.pitch * sizeof(float);
            if (s.above > 0)
                check(cudaMemcpyAsync(own, up.states[next].member[m] + (long long)(up.above + up.rows - STEPS) * s.pitch, bytes,
                                      cudaMemcpyDefault, s.stream));
            if (s.below > 0)
                check(cudaMemcpyAsync(own + (long long)(s.above + s.rows) * s.pitch,
                                      down.states[next].member[m] + (long long)down.above * s.pitch, bytes, cudaMemcpyDefault, s.stream));
        }
    }
}

static void synchronize(const std::vector<Stripe>& stripes) {
    for (const Stripe& s : stripes) {
        check(cudaSetDevice(s.device));
        check(cudaDeviceSynchronize());
    }
}

static Stripe make_stripe(int device, int top, int rows, int width, int height) {
    const bool alone = rows == height;
    const int above = !alone && (torus || top > 0) ? STEPS : 0, below = !alone && (torus || top + rows < height) ? STEPS : 0;
    Stripe s{device, top, rows, above, below, width, height, (width + 36 + 31) / 32 * 32, 0, {}, {}, {}};
    check(cudaSetDevice(device));
    check(cudaDeviceGetAttribute(&s.warps, cudaDevAttrMultiProcessorCount, device));
    s.warps *= 12;
    for (State& state : s.states)
        for (float*& member : state.member) { // a row before and after, and some floats, which fused.cu may read or write
            check(cudaMalloc((void**)&member, (std::size_t(s.all_rows() + 2) * s.pitch + 64) * sizeof(float)));
            member += 32 + s.pitch;
        }
    check(cudaStreamCreateWithFlags(&s.stream, cudaStreamNonBlocking));
    for (cudaEvent_t& made : s.made) check(cudaEventCreateWithFlags(&made, cudaEventDisableTiming));
    start<<<dim3(unsigned(width + 127) / 128, unsigned(s.all_rows())), 128, 0, s.stream>>>(s);
    check(cudaGetLastError());
    return s;
}

// All devices' streams branch off the first one's, and end in it.
static cudaGraphExec_t make_graph(std::vector<Stripe>& stripes) {
    cudaStream_t first = stripes[0].stream;
    cudaEvent_t begun = stripes[0].made[1]; // a launch's own comes only after
    check(cudaSetDevice(stripes[0].device));
    check(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
    check(cudaEventRecord(begun, first));
    for (const Stripe& s : stripes)
        if (s.stream != first) check(cudaStreamWaitEvent(s.stream, begun, 0));
    for (int t = 0; t < LAUNCHES; ++t) queue_launch(stripes, t);
    for (const Stripe& s : stripes) {
        check(cudaSetDevice(s.device));
        check(cudaEventRecord(s.made[1], s.stream)); // with its ghosts
        if (s.stream != first) check(cudaStreamWaitEvent(first, s.made[1], 0));
    }
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
    if (count < 5) return std::fprintf(stderr, "usage: fused_several_gpus GPUS WIDTH HEIGHT STEPS [FILE]\n"), 2;
    const int gpus = std::atoi(words[1]), width = std::atoi(words[2]), height = std::atoi(words[3]), steps = std::atoi(words[4]);
    const int steps_a_graph = STEPS * LAUNCHES;
    if (gpus < 1 || width < 16 || height < 16 * gpus || steps < steps_a_graph || steps % steps_a_graph != 0)
        return std::fprintf(stderr, "fused_several_gpus: 16 rows a GPU at least, and steps in multiples of %d\n", steps_a_graph), 2;
    int devices = 0;
    check(cudaGetDeviceCount(&devices));
    if (devices < gpus) std::fprintf(stderr, "fused_several_gpus: %d stripes share %d GPU%s\n", gpus, devices, devices == 1 ? "" : "s");
    devices = std::min(devices, gpus);
    for (int one = 0; one < devices; ++one)
        for (int other = 0; other < devices; ++other) {
            const bool beside = other == one + 1 || one == other + 1 || (torus && devices > 2 && std::abs(one - other) == devices - 1);
            check(cudaSetDevice(one));
            if (beside) check(cudaDeviceEnablePeerAccess(other, 0));
        }
    std::vector<Stripe> stripes;
    for (int i = 0; i < gpus; ++i) {
        const int top = int((long long)height * i / gpus), end = int((long long)height * (i + 1) / gpus);
        stripes.push_back(make_stripe(i * devices / gpus, top, end - top, width, height));
    }
    synchronize(stripes);

    const auto launch = [&] {
        for (int t = 0; t < steps / STEPS; ++t) queue_launch(stripes, t);
    };
    launch(); // once, to warm up
    synchronize(stripes);
    const double launched = microseconds(stripes, steps, launch);
    const cudaGraphExec_t graph = make_graph(stripes);
    const double replayed = microseconds(stripes, steps, [&] {
        check(cudaSetDevice(stripes[0].device));
        for (int t = 0; t < steps; t += steps_a_graph) check(cudaGraphLaunch(graph, stripes[0].stream));
    });
    std::vector<float> state(std::size_t(width) * height);
    for (const Stripe& s : stripes) {
        check(cudaSetDevice(s.device));
        check(cudaMemcpy2D(&state[std::size_t(s.top) * width], width * sizeof(float), s.states[0].member[0] + (long long)s.above * s.pitch,
                           s.pitch * sizeof(float), width * sizeof(float), s.rows, cudaMemcpyDeviceToHost));
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
        if (!file || std::fclose(file) != 0 || !written) return std::fprintf(stderr, "fused_several_gpus: cannot write %s\n", words[5]), 1;
    }
}
