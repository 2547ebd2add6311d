#include "device_runtime/cuda_stream.hpp"

#include "device_runtime/cuda_program.hpp"

#include <fmt/format.h>

#include <tuple>

namespace tessera {

CudaStream::CudaStream(std::shared_ptr<const CudaContext> context, Priority priority)
    : context_(std::move(context)), stream_(context_->create_stream(priority)), staging_(context_, stream_) {}

CudaStream::~CudaStream() {
    const auto& cuda = context_->enter_to_release();
    cuda.cuStreamSynchronize(stream_);
    cuda.cuStreamDestroy(stream_);
}

void CudaStream::launch(const Launch& launch) {
    const auto& cuda = context_->enter();
    const auto& [grid, block] = std::tie(launch.grid, launch.block);
    void* args[] = {const_cast<std::byte*>(launch.args.data())}; // read during the call
    const auto result = cuda.cuLaunchKernel(static_cast<const CudaKernel*>(launch.kernel)->function(), grid[0], grid[1], grid[2], block[0],
                                            block[1], block[2], 0, stream_, args, nullptr);
    if (result != CUDA_SUCCESS) context_->check(result, fmt::format("launch \"{}\"", launch.kernel->name()));
}

void CudaStream::replay(const CudaGraph& graph) {
    context_->check(context_->enter().cuGraphLaunch(graph.get(), stream_), "replay the recorded launches");
}

void CudaStream::record(const CudaEvent& event) {
    context_->check(context_->enter().cuEventRecord(event.get(), stream_), "mark its place");
}

void CudaStream::after(const CudaPoint& point) {
    context_->check(context_->enter().cuStreamWaitEvent(stream_, point.event(), CU_EVENT_WAIT_DEFAULT), "wait for a mark");
}

void CudaStream::synchronize() { context_->check(context_->enter().cuStreamSynchronize(stream_), queued_work); }

} // namespace tessera
