// Launches recorded as a CUDA graph: kernel nodes with an edge where one has to wait for another, instantiated once. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/queue.hpp"

#include <memory>
#include <span>

namespace tessera {

class CudaGraph {
public:
    // The launches' kernels must be CudaKernels of this context.
    CudaGraph(std::shared_ptr<const CudaContext> context, std::span<const Launch> launches, const LaunchOrder& order, CUstream stream);
    ~CudaGraph(); // a replay that is under way goes on
    CudaGraph(const CudaGraph&) = delete;
    CudaGraph& operator=(const CudaGraph&) = delete;

    [[nodiscard]] CUgraphExec get() const noexcept { return graph_; }
    [[nodiscard]] bool is_of(const CudaContext& context) const noexcept { return context_.get() == &context; }

private:
    std::shared_ptr<const CudaContext> context_;
    CUgraphExec graph_ = nullptr;
};

class CudaRecording final : public Recording {
public:
    // `stream`: the one that the graph is made ready for; others can replay it too.
    CudaRecording(std::shared_ptr<const CudaContext> context, std::span<const Launch> launches, const LaunchOrder& order, CUstream stream)
        : graph_(std::make_shared<const CudaGraph>(std::move(context), launches, order, stream)), launches_(launches.size()) {}

    std::size_t launches() const noexcept override { return launches_; }
    [[nodiscard]] const std::shared_ptr<const CudaGraph>& graph() const noexcept { return graph_; }

private:
    std::shared_ptr<const CudaGraph> graph_; // a replay that is queued has its own part in it
    std::size_t launches_;
};

} // namespace tessera
