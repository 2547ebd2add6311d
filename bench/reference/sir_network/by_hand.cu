// The epidemic of plugins/sir_network by hand: lists of contacts one behind the other (CSR), a thread a person. Compiled by nvcc and run by
// itself (bench/links.sh); prints the microseconds of a step, the median of all, and how many persons are in which state at the end.
#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <vector>

namespace {

constexpr std::uint8_t susceptible = 0, infected = 1, recovered = 2;

// Philox 4x32, ten rounds (Salmon, Moraes, Dror, Shaw, SC 2011); the first of four numbers.
__device__ std::uint32_t philox(std::uint32_t a, std::uint32_t b, std::uint32_t c, std::uint32_t d, std::uint32_t key, std::uint32_t high) {
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t x = 0xd2511f53ull * a, y = 0xcd9e8d57ull * c;
        a = static_cast<std::uint32_t>(y >> 32) ^ b ^ key;
        c = static_cast<std::uint32_t>(x >> 32) ^ d ^ high;
        b = static_cast<std::uint32_t>(y), d = static_cast<std::uint32_t>(x);
        key += 0x9e3779b9u, high += 0xbb67ae85u;
    }
    return a;
}

__global__ void live(int persons, int ill_for, std::uint32_t step, const int* __restrict__ start, const int* __restrict__ other,
                     const float* __restrict__ chance, const std::uint8_t* __restrict__ before, std::uint8_t* __restrict__ state,
                     std::uint16_t* __restrict__ days) {
    const int person = blockIdx.x * blockDim.x + threadIdx.x;
    if (person >= persons) return;
    auto mine = before[person];
    if (mine == infected) {
        const auto now = static_cast<std::uint16_t>(days[person] + 1);
        days[person] = now;
        if (now >= ill_for) mine = recovered;
    } else if (mine == susceptible) {
        std::uint32_t draws = 0;
        bool caught = false;
        const int end = start[person + 1];
        for (int at = start[person]; at < end; ++at)
            if (before[other[at]] == infected)
                caught |= philox(static_cast<std::uint32_t>(person), 0, step, draws++, 1, 2) * 0x1p-32f < chance[at];
        if (caught) mine = infected;
    }
    state[person] = mine;
}

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "by_hand: %s\n", cudaGetErrorString(error));
    std::exit(1);
}

template<class T> T* on_device(const std::vector<T>& values) {
    T* memory = nullptr;
    check(cudaMalloc(&memory, values.size() * sizeof(T)));
    check(cudaMemcpy(memory, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice));
    return memory;
}

// Ends of links in a random order, joined two by two; each person's list by number.
void join(int persons, int degree, std::vector<int>& start, std::vector<int>& other) {
    std::vector<int> ends(static_cast<std::size_t>(persons) * degree);
    for (std::size_t e = 0; e < ends.size(); ++e) ends[e] = static_cast<int>(e / degree);
    std::shuffle(ends.begin(), ends.end(), std::mt19937_64(1));
    start.resize(persons + 1);
    other.resize(ends.size());
    for (int p = 0; p <= persons; ++p) start[p] = p * degree;
    std::vector<int> filled(start.begin(), start.end() - 1);
    for (std::size_t e = 0; e < ends.size(); e += 2) other[filled[ends[e]]++] = ends[e + 1], other[filled[ends[e + 1]]++] = ends[e];
    for (int p = 0; p < persons; ++p) std::sort(other.begin() + start[p], other.begin() + start[p + 1]);
}

} // namespace

int main(int count, char** arguments) {
    const int persons = count > 1 ? std::atoi(arguments[1]) : 1 << 20, degree = count > 2 ? std::atoi(arguments[2]) : 16;
    const int steps = count > 3 ? std::atoi(arguments[3]) : 100;
    std::vector<int> start, other;
    join(persons, degree, start, other);
    std::vector<std::uint8_t> state(persons);
    std::mt19937 random(1);
    for (auto& each : state) each = random() % 1000 == 0 ? infected : susceptible;
    const auto *starts = on_device(start), *others = on_device(other);
    const auto* chances = on_device(std::vector<float>(other.size(), 0.1f));
    auto *before = on_device(state), *after = on_device(state);
    auto* days = on_device(std::vector<std::uint16_t>(persons));
    std::vector<double> times;
    for (int step = 0; step < steps; ++step) {
        const auto begun = std::chrono::steady_clock::now();
        live<<<(persons + 127) / 128, 128>>>(persons, 5, step, starts, others, chances, before, after, days);
        check(cudaDeviceSynchronize());
        times.push_back(std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begun).count());
        std::swap(before, after);
    }
    check(cudaMemcpy(state.data(), before, state.size(), cudaMemcpyDeviceToHost));
    long long of[3] = {};
    for (const auto each : state) ++of[each];
    double sum = 0;
    for (const double each : times) sum += each;
    std::sort(times.begin(), times.end());
    std::printf("%.1f us a step, the median; %.1f the mean; %lld susceptible, %lld infected, %lld recovered\n", times[times.size() / 2],
                sum / steps, of[susceptible], of[infected], of[recovered]);
}
