#include "device_runtime/cuda_stream.hpp"

#include "device_runtime/cuda_program.hpp"

#include <fmt/format.h>

#include <tuple>

namespace tessera {

CudaStream::CudaStream(std::shared_ptr<const CudaContext> context, Priority priority)
    : context_(std::move(context)), handle_(*context_, priority), staging_(context_, handle_.stream) {}

CudaStream::Handle::~Handle() {
    const auto& cuda = context.enter_to_release();
    cuda.cuStreamSynchronize(stream);
    cuda.cuStreamDestroy(stream);
}

void CudaStream::launch(const Launch& launch) {
    const auto& cuda = context_->enter();
    const auto& [grid, block] = std::tie(launch.grid, launch.block);
    void* args[] = {const_cast<std::byte*>(launch.args.data())}; // read during the call
    const auto result = cuda.cuLaunchKernel(static_cast<const CudaKernel*>(launch.kernel)->function(), grid[0], grid[1], grid[2], block[0],
                                            block[1], block[2], 0, handle_.stream, args, nullptr);
    if (result != CUDA_SUCCESS) context_->check(result, fmt::format("launch \"{}\"", launch.kernel->name()));
}

void CudaStream::replay(const CudaGraph& graph) {
    context_->check(context_->enter().cuGraphLaunch(graph.get(), handle_.stream), "replay the recorded launches");
}

void CudaStream::record(const CudaEvent& event) {
    context_->check(context_->enter().cuEventRecord(event.get(), handle_.stream), "mark its place");
}

void CudaStream::after(const CudaPoint& point) {
    context_->check(context_->enter().cuStreamWaitEvent(handle_.stream, point.event(), CU_EVENT_WAIT_DEFAULT), "wait for a mark");
}

void CudaStream::copy(const Copy& copy) {
    context_->check(context_->enter().cuMemcpyAsync(address_of(copy.to), address_of(copy.from), copy.bytes, handle_.stream), "copy memory");
}

void CudaStream::synchronize() { context_->check(context_->enter().cuStreamSynchronize(handle_.stream), queued_work); }

} // namespace tessera
