// As much of CUDA's runtime as the programs of bench/reference need, for a processor. What is queued is carried out late, when
// somebody waits for it, in any order that streams and events allow; memory begins as NaNs.
#pragma once

#include "tests/unit/host/bench/emulated_cuda.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <utility>
#include <vector>

enum cudaError_t { cudaSuccess = 0, cudaErrorWrongDevice = 101, cudaErrorTwice = 704, cudaErrorUnjoined = 904, cudaErrorIsolation = 905 };
enum cudaDeviceAttr { cudaDevAttrMultiProcessorCount };
enum cudaMemcpyKind { cudaMemcpyDeviceToHost, cudaMemcpyDefault };
enum { cudaStreamNonBlocking = 1, cudaEventDisableTiming = 2, cudaStreamCaptureModeGlobal = 0 };

namespace emulated {

struct Task {
    std::function<void()> run;
    std::vector<std::shared_ptr<Task>> after;
    bool done = false;
};
using Tasks = std::vector<std::shared_ptr<Task>>;
struct Stream {
    int device;
    std::shared_ptr<Task> last;
};
struct Event {
    int device;
    std::shared_ptr<Task> at;
};

inline int device = 0;
inline Tasks pending;
inline Stream* capturing = nullptr; // the stream that a capture began in
inline Tasks captured;
inline Index blockDim;

inline bool is_captured(const std::shared_ptr<Task>& task) { return std::find(captured.begin(), captured.end(), task) != captured.end(); }

inline cudaError_t add(Stream* stream, std::function<void()> run, const std::shared_ptr<Task>& event = nullptr) {
    auto task = std::make_shared<Task>(Task{std::move(run), {}});
    for (const auto& before : {stream->last, event})
        if (before && (!capturing || is_captured(before))) task->after.push_back(before);
    if (capturing && event && !is_captured(event)) return cudaErrorIsolation;
    if (capturing && task->after.empty() && stream != capturing) return cudaErrorIsolation; // did not branch off
    (capturing ? captured : pending).push_back(task);
    stream->last = std::move(task);
    return cudaSuccess;
}

inline void run_all() {
    static std::mt19937 random(20);
    while (!pending.empty()) {
        const auto is_ready = [](const auto& task) {
            return std::all_of(task->after.begin(), task->after.end(), [](const auto& before) { return before->done; });
        };
        const auto from = pending.begin() + static_cast<std::ptrdiff_t>(random() % pending.size());
        auto found = std::find_if(from, pending.end(), is_ready);
        if (found == pending.end()) found = std::find_if(pending.begin(), from, is_ready);
        const auto task = *found;
        pending.erase(found);
        task->run();
        task->done = true;
        task->after.clear();
    }
}

} // namespace emulated

using namespace emulated;
using cudaStream_t = emulated::Stream*;
using cudaEvent_t = emulated::Event*;
using cudaGraph_t = emulated::Tasks*;
using cudaGraphExec_t = emulated::Tasks*;
struct dim3 {
    unsigned x, y, z;
    dim3(unsigned nx, unsigned ny = 1, unsigned nz = 1) : x(nx), y(ny), z(nz) {} // NOLINT: numbers become one
};

// What `kernel<<<grid, block, shared, stream>>>(arguments)` is rewritten to.
template<class Kernel> void launch_later(dim3 grid, dim3 block, int, cudaStream_t stream, const Kernel& kernel) {
    if (stream->device != device) std::fprintf(stderr, "a stream of another device\n"), std::exit(1);
    const auto error = add(stream, [=] {
        blockDim = {block.x, block.y, block.z};
        if (block.x == 32 && block.y == 1)
            launch_warps({grid.x, grid.y, 1}, kernel);
        else
            launch({grid.x, grid.y, 1}, {block.x, block.y, 1}, kernel);
    });
    if (error != cudaSuccess) std::fprintf(stderr, "a launch beside the capture\n"), std::exit(1);
}

inline const char* cudaGetErrorString(cudaError_t error) {
    static const std::map<int, const char*> texts{{cudaErrorWrongDevice, "another device's"},
                                                  {cudaErrorTwice, "peer access twice"},
                                                  {cudaErrorUnjoined, "a stream did not end in the capture's"},
                                                  {cudaErrorIsolation, "a stream or an event beside the capture"}};
    return texts.at(error);
}
inline cudaError_t cudaGetLastError() { return cudaSuccess; }
inline cudaError_t cudaGetDeviceCount(int* count) {
    *count = std::atoi(std::getenv("EMULATED_GPUS"));
    return cudaSuccess;
}
inline cudaError_t cudaSetDevice(int which) {
    int count = 0;
    cudaGetDeviceCount(&count);
    device = which;
    return which >= 0 && which < count ? cudaSuccess : cudaErrorWrongDevice;
}
inline cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr, int) {
    *value = 2;
    return cudaSuccess;
}
inline cudaError_t cudaDeviceEnablePeerAccess(int other, int) {
    static std::set<std::pair<int, int>> enabled;
    return other != device && enabled.insert({device, other}).second ? cudaSuccess : cudaErrorTwice;
}
inline cudaError_t cudaMalloc(void** address, std::size_t bytes) {
    *address = std::aligned_alloc(512, (bytes + 511) / 512 * 512);
    std::memset(*address, 0xff, bytes);
    return cudaSuccess;
}
inline cudaError_t cudaDeviceGetStreamPriorityRange(int* low, int* high) {
    *low = 0, *high = -5;
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithFlags(cudaStream_t* stream, int) {
    *stream = new Stream{device, {}};
    return cudaSuccess;
}
inline cudaError_t cudaStreamCreateWithPriority(cudaStream_t* stream, int flags, int) { return cudaStreamCreateWithFlags(stream, flags); }
inline cudaError_t cudaEventCreateWithFlags(cudaEvent_t* event, int) {
    *event = new Event{device, {}};
    return cudaSuccess;
}
inline cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t stream) {
    if (event->device != stream->device) return cudaErrorWrongDevice;
    const auto error = add(stream, [] {});
    event->at = stream->last;
    return error;
}
inline cudaError_t cudaStreamWaitEvent(cudaStream_t stream, cudaEvent_t event, int) {
    return add(
        stream, [] {}, event->at);
}
inline cudaError_t cudaDeviceSynchronize() {
    run_all();
    return cudaSuccess;
}
inline cudaError_t cudaMemcpyAsync(void* to, const void* from, std::size_t bytes, cudaMemcpyKind, cudaStream_t stream) {
    if (stream->device != device) return cudaErrorWrongDevice;
    return add(stream, [=] { std::memcpy(to, from, bytes); });
}
inline cudaError_t cudaMemcpy2D(void* to, std::size_t to_pitch, const void* from, std::size_t from_pitch, std::size_t width,
                                std::size_t height, cudaMemcpyKind) {
    for (std::size_t y = 0; y < height; ++y)
        std::memcpy(static_cast<char*>(to) + y * to_pitch, static_cast<const char*>(from) + y * from_pitch, width);
    return cudaSuccess;
}
inline cudaError_t cudaStreamBeginCapture(cudaStream_t stream, int) {
    capturing = stream;
    captured.clear();
    return cudaSuccess;
}
inline cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t* graph) {
    std::set<Task*> joined;
    std::vector<Task*> left{stream->last.get()};
    while (!left.empty()) {
        Task* task = left.back();
        left.pop_back();
        if (!joined.insert(task).second) continue;
        for (const auto& before : task->after) left.push_back(before.get());
    }
    const bool all = joined.size() == captured.size();
    *graph = new Tasks(std::move(captured));
    capturing = nullptr;
    stream->last.reset();
    return all ? cudaSuccess : cudaErrorUnjoined;
}
inline cudaError_t cudaGraphInstantiate(cudaGraphExec_t* executable, cudaGraph_t graph, int) {
    *executable = graph;
    return cudaSuccess;
}
inline cudaError_t cudaGraphLaunch(cudaGraphExec_t graph, cudaStream_t stream) {
    std::map<Task*, std::shared_ptr<Task>> copies;
    auto all = std::make_shared<Task>(Task{[] {}, {}});
    for (const auto& task : *graph) {
        auto copy = std::make_shared<Task>(Task{task->run, {}});
        for (const auto& before : task->after) copy->after.push_back(copies.at(before.get()));
        if (copy->after.empty() && stream->last) copy->after.push_back(stream->last);
        copies[task.get()] = copy;
        all->after.push_back(copy);
        pending.push_back(std::move(copy));
    }
    pending.push_back(all);
    stream->last = std::move(all);
    return cudaSuccess;
}

#define __global__ inline
#define __host__
#define __launch_bounds__(threads)
