#include "device_runtime/cuda_recording.hpp"

#include "device_runtime/cuda_program.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

class GraphOwner {
public:
    explicit GraphOwner(const CudaContext& context) : context_(context) {
        context.check(context.enter().cuGraphCreate(&graph_, 0), "create a graph");
    }
    ~GraphOwner() { context_.enter_to_release().cuGraphDestroy(graph_); }
    GraphOwner(const GraphOwner&) = delete;
    GraphOwner& operator=(const GraphOwner&) = delete;
    [[nodiscard]] CUgraph get() const noexcept { return graph_; }

private:
    const CudaContext& context_;
    CUgraph graph_ = nullptr;
};

// Adds `launch` to run after the node `before`; the first one has none before it.
CUgraphNode add(const CudaContext& context, CUgraph graph, CUgraphNode before, const Launch& launch) {
    void* args[] = {const_cast<std::byte*>(launch.args.data())}; // read during the call
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = static_cast<const CudaKernel*>(launch.kernel)->function();
    params.gridDimX = launch.grid[0];
    params.gridDimY = launch.grid[1];
    params.gridDimZ = launch.grid[2];
    params.blockDimX = launch.block[0];
    params.blockDimY = launch.block[1];
    params.blockDimZ = launch.block[2];
    params.kernelParams = args;
    CUgraphNode node = nullptr;
    const auto result = context.enter().cuGraphAddKernelNode(&node, graph, &before, before == nullptr ? 0 : 1, &params);
    if (result != CUDA_SUCCESS) context.check(result, fmt::format("record the launch of \"{}\"", launch.kernel->name()));
    return node;
}

} // namespace

CudaGraph::CudaGraph(std::shared_ptr<const CudaContext> context, std::span<const Launch> launches, CUstream stream)
    : context_(std::move(context)) {
    const auto& cuda = context_->enter();
    const GraphOwner chain(*context_);
    CUgraphNode last = nullptr;
    for (const auto& launch : launches) last = add(*context_, chain.get(), last, launch);
    context_->check(cuda.cuGraphInstantiateWithFlags(&graph_, chain.get(), 0), "make a graph of the launches");
    if (const auto result = cuda.cuGraphUpload(graph_, stream); result != CUDA_SUCCESS) {
        cuda.cuGraphExecDestroy(graph_);
        context_->check(result, "take over a graph");
    }
}

CudaGraph::~CudaGraph() { context_->enter_to_release().cuGraphExecDestroy(graph_); }

} // namespace tessera
