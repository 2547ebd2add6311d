// The sum over links of bench/pagerank as a product of a sparse matrix and a vector by cuSPARSE, with the algorithm of its that is fastest.
// Compiled by nvcc and run by itself (bench/links.sh); prints the microseconds of a product, the median, and which algorithm made it.
//
// The network is drawn by the rule that bench/pagerank.cu names (Sanders and Schulz 2016), with other random numbers; a page that another
// cites twice, or that cites itself, stands there once, or not at all.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <vector>

#include <cusparse.h>
#include <thrust/binary_search.h>
#include <thrust/device_vector.h>
#include <thrust/execution_policy.h>
#include <thrust/iterator/counting_iterator.h>
#include <thrust/sort.h>
#include <thrust/transform.h>
#include <thrust/unique.h>

namespace {

using u64 = std::uint64_t;

void check(cudaError_t error) {
    if (error == cudaSuccess) return;
    std::fprintf(stderr, "cusparse: %s\n", cudaGetErrorString(error));
    std::exit(1);
}
void check(cusparseStatus_t status) {
    if (status == CUSPARSE_STATUS_SUCCESS) return;
    std::fprintf(stderr, "cusparse: %s\n", cusparseGetErrorString(status));
    std::exit(1);
}

__host__ __device__ u64 mixed(u64 x) { // splitmix64
    x += 0x9e3779b97f4a7c15ull;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ull;
    x = (x ^ x >> 27) * 0x94d049bb133111ebull;
    return x ^ x >> 31;
}

// Link i, as its target and its source behind each other: end 2 i is who brings it, and end 2 i + 1 one of the ends before that.
struct link_of {
    u64 degree;
    __device__ u64 operator()(u64 link) const {
        u64 end = 2 * link + 1;
        while (end % 2 == 1) end = mixed(end) % end;
        const u64 source = link / degree, target = end / 2 / degree;
        return source == target ? ~u64{0} : target << 32 | source;
    }
};

__global__ void take_apart(const u64* links, u64 count, int* sources, int* cited) {
    const u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i >= count) return;
    const int source = static_cast<int>(links[i] & 0xffffffffu);
    sources[i] = source;
    atomicAdd(cited + source, 1);
}
__global__ void find_values(const int* sources, u64 count, const int* cited, float* values) {
    const u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) values[i] = 1.0f / static_cast<float>(cited[sources[i]]);
}
__global__ void find_rows(const u64* links, u64 count, int pages, int* starts, int* rows) {
    const u64 i = u64{blockIdx.x} * blockDim.x + threadIdx.x;
    if (i < count) rows[i] = static_cast<int>(links[i] >> 32);
    if (i > static_cast<u64>(pages)) return;
    u64 low = 0, high = count; // the first link to page i or to one behind it
    while (low < high) {
        const u64 middle = (low + high) / 2;
        if (links[middle] >> 32 < i)
            low = middle + 1;
        else
            high = middle;
    }
    starts[i] = static_cast<int>(low);
}

template<class T> T* room_for(u64 count) {
    T* memory = nullptr;
    check(cudaMalloc(&memory, count * sizeof(T)));
    check(cudaMemset(memory, 0, count * sizeof(T)));
    return memory;
}

struct Network {
    int pages = 0;
    u64 links = 0;
    int *starts = nullptr, *rows = nullptr, *sources = nullptr;
    float* values = nullptr;
};

Network draw(int pages, int degree) {
    Network network{pages};
    const u64 drawn = static_cast<u64>(pages) * degree;
    thrust::device_vector<u64> links(drawn);
    const thrust::counting_iterator<u64> numbers(0);
    thrust::transform(numbers, numbers + static_cast<std::ptrdiff_t>(drawn), links.begin(), link_of{static_cast<u64>(degree)});
    thrust::sort(links.begin(), links.end());
    auto end = thrust::unique(links.begin(), links.end());
    if (end != links.begin() && *(end - 1) == ~u64{0}) --end;
    network.links = static_cast<u64>(end - links.begin());
    auto* const all = thrust::raw_pointer_cast(links.data());
    network.starts = room_for<int>(pages + 1);
    network.rows = room_for<int>(network.links);
    network.sources = room_for<int>(network.links);
    network.values = room_for<float>(network.links);
    int* const cited = room_for<int>(pages);
    const auto threads = std::max(network.links, static_cast<u64>(pages) + 1);
    const unsigned blocks = static_cast<unsigned>((threads + 255) / 256);
    take_apart<<<blocks, 256>>>(all, network.links, network.sources, cited);
    find_values<<<blocks, 256>>>(network.sources, network.links, cited, network.values);
    find_rows<<<blocks, 256>>>(all, network.links, pages, network.starts, network.rows);
    check(cudaDeviceSynchronize());
    check(cudaFree(cited));
    return network;
}

// Of `times` products of the matrix, the median in microseconds.
double microseconds(cusparseHandle_t handle, cusparseSpMatDescr_t matrix, cusparseDnVecDescr_t from, cusparseDnVecDescr_t to,
                    cusparseSpMVAlg_t algorithm, int times) {
    const float one = 1, none = 0;
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &none, to, CUDA_R_32F, algorithm, &bytes));
    auto* const buffer = room_for<std::uint8_t>(std::max<std::size_t>(bytes, 1));
    check(cusparseSpMV_preprocess(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &none, to, CUDA_R_32F, algorithm, buffer));
    cudaEvent_t begin, end;
    check(cudaEventCreate(&begin));
    check(cudaEventCreate(&end));
    std::vector<double> all;
    for (int time = 0; time < times + 3; ++time) {
        check(cudaEventRecord(begin));
        check(cusparseSpMV(handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &one, matrix, from, &none, to, CUDA_R_32F, algorithm, buffer));
        check(cudaEventRecord(end));
        check(cudaEventSynchronize(end));
        float milliseconds = 0;
        check(cudaEventElapsedTime(&milliseconds, begin, end));
        if (time >= 3) all.push_back(milliseconds * 1e3);
    }
    check(cudaFree(buffer));
    std::sort(all.begin(), all.end());
    return all[all.size() / 2];
}

} // namespace

int main(int count, char** arguments) {
    const int pages = count > 1 ? std::atoi(arguments[1]) : 1000000, degree = count > 2 ? std::atoi(arguments[2]) : 16;
    const int times = count > 3 ? std::atoi(arguments[3]) : 40;
    const auto network = draw(pages, degree);
    cusparseHandle_t handle = nullptr;
    check(cusparseCreate(&handle));
    cusparseSpMatDescr_t rows = nullptr, pairs = nullptr;
    const auto links = static_cast<std::int64_t>(network.links);
    check(cusparseCreateCsr(&rows, pages, pages, links, network.starts, network.sources, network.values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    check(cusparseCreateCoo(&pairs, pages, pages, links, network.rows, network.sources, network.values, CUSPARSE_INDEX_32I,
                            CUSPARSE_INDEX_BASE_ZERO, CUDA_R_32F));
    cusparseDnVecDescr_t from = nullptr, to = nullptr;
    check(cusparseCreateDnVec(&from, pages, room_for<float>(pages), CUDA_R_32F));
    check(cusparseCreateDnVec(&to, pages, room_for<float>(pages), CUDA_R_32F));
    struct Way {
        const char* name;
        cusparseSpMatDescr_t matrix;
        cusparseSpMVAlg_t algorithm;
    };
    double least = 0;
    const char* best = "";
    for (const auto& way : {Way{"CSR_ALG1", rows, CUSPARSE_SPMV_CSR_ALG1}, Way{"CSR_ALG2", rows, CUSPARSE_SPMV_CSR_ALG2},
                            Way{"COO_ALG1", pairs, CUSPARSE_SPMV_COO_ALG1}, Way{"COO_ALG2", pairs, CUSPARSE_SPMV_COO_ALG2}}) {
        const double time = microseconds(handle, way.matrix, from, to, way.algorithm, times);
        std::fprintf(stderr, "%s: %.1f us\n", way.name, time);
        if (least == 0 || time < least) least = time, best = way.name;
    }
    std::printf("%.1f us a product by %s, the median; %lld links\n", least, best, static_cast<long long>(links));
}
