#include "device_runtime/cuda_staging.hpp"

#include "device_runtime/machine.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

constexpr std::size_t buffer_size = std::size_t{8} << 20;
constexpr std::size_t large = std::size_t{256} << 10; // below, the driver's own staging is as fast
constexpr std::size_t smallest_piece = std::size_t{1} << 20;
constexpr std::size_t worth_sharing = std::size_t{1} << 20; // below, one thread has copied before others wake
constexpr int most_copiers = 4;                             // measured on an H200: 10, 19 and 34 GB/s with 1, 2 and 4; no more with 8

// What goes through a buffer at a time: several pieces even of a middling copy, so that the two stages overlap.
std::size_t piece_size(std::size_t bytes) { return std::clamp(bytes / 8, smallest_piece, buffer_size); }

} // namespace

CudaStaging::CudaStaging(std::shared_ptr<const CudaContext> context, CUstream stream) : context_(std::move(context)), stream_(stream) {}

CudaStaging::~CudaStaging() {
    const auto& cuda = context_->enter_to_release();
    cuda.cuStreamSynchronize(stream_);
    for (const auto& buffer : buffers_) {
        if (buffer.copied != nullptr) cuda.cuEventDestroy(buffer.copied);
        if (buffer.bytes != nullptr) cuda.cuMemFreeHost(buffer.bytes);
    }
}

void CudaStaging::write(CUdeviceptr device, const std::byte* host, std::size_t bytes) {
    if (bytes == 0) return;
    const auto& cuda = context_->enter();
    if (bytes >= large) {
        write_staged(cuda, device, host, bytes);
    } else {
        context_->check(cuda.cuMemcpyHtoDAsync(device, host, bytes, stream_), "be written to");
    }
    context_->check(cuda.cuStreamSynchronize(stream_), "be written to");
}

void CudaStaging::read(std::byte* host, CUdeviceptr device, std::size_t bytes) {
    if (bytes == 0) return;
    const auto& cuda = context_->enter();
    if (bytes >= large) return read_staged(cuda, host, device, bytes);
    context_->check(cuda.cuMemcpyDtoHAsync(host, device, bytes, stream_), "be read from");
    context_->check(cuda.cuStreamSynchronize(stream_), "be read from");
}

void CudaStaging::prepare() {
    const auto& cuda = context_->enter();
    for (auto& buffer : buffers_) {
        if (buffer.copied == nullptr) context_->check(cuda.cuEventCreate(&buffer.copied, CU_EVENT_DISABLE_TIMING), "create an event");
        if (buffer.bytes != nullptr) continue;
        void* bytes = nullptr;
        context_->check(cuda.cuMemHostAlloc(&bytes, buffer_size, 0), "pin host memory for copies");
        buffer.bytes = static_cast<std::byte*>(bytes);
    }
    if (!copiers_) copiers_.emplace(std::min(most_copiers, usable_threads()));
}

void CudaStaging::copy(std::byte* to, const std::byte* from, std::size_t bytes) {
    if (bytes < worth_sharing) {
        std::memcpy(to, from, bytes);
        return;
    }
    copiers_->run(static_cast<std::int64_t>(bytes), [=](std::int64_t begin, std::int64_t end) {
        std::memcpy(to + begin, from + begin, static_cast<std::size_t>(end - begin));
    });
}

void CudaStaging::write_staged(const CudaFunctions& cuda, CUdeviceptr device, const std::byte* host, std::size_t bytes) {
    prepare();
    const auto piece = piece_size(bytes);
    for (std::size_t done = 0; done < bytes; done += piece) {
        const auto& buffer = buffers_[done / piece % 2];
        const auto size = std::min(piece, bytes - done);
        context_->check(cuda.cuEventSynchronize(buffer.copied), "be written to");
        copy(buffer.bytes, host + done, size);
        context_->check(cuda.cuMemcpyHtoDAsync(device + done, buffer.bytes, size, stream_), "be written to");
        context_->check(cuda.cuEventRecord(buffer.copied, stream_), "be written to");
    }
}

void CudaStaging::read_staged(const CudaFunctions& cuda, std::byte* host, CUdeviceptr device, std::size_t bytes) {
    prepare();
    const auto piece = piece_size(bytes);
    const auto fetch = [&](std::size_t start) {
        const auto& buffer = buffers_[start / piece % 2];
        const auto size = std::min(piece, bytes - start);
        context_->check(cuda.cuMemcpyDtoHAsync(buffer.bytes, device + start, size, stream_), "be read from");
        context_->check(cuda.cuEventRecord(buffer.copied, stream_), "be read from");
    };
    fetch(0);
    for (std::size_t done = 0; done < bytes; done += piece) {
        if (bytes - done > piece) fetch(done + piece);
        const auto& buffer = buffers_[done / piece % 2];
        context_->check(cuda.cuEventSynchronize(buffer.copied), "be read from");
        copy(host + done, buffer.bytes, std::min(piece, bytes - done));
    }
}

} // namespace tessera
