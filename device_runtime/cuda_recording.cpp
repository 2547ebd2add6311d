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

// Whether a kernel's blocks may come onto the GPU before the launch before it is done (kernels/launch/launch.hpp).
bool can_follow(const CudaContext& context, const CudaKernel& kernel) {
#if CUDA_VERSION >= 12030
    return context.enter().graph_add_dependencies != nullptr && kernel.follows_launches();
#else
    return false;
#endif
}
void follow([[maybe_unused]] const CudaContext& context, [[maybe_unused]] CUgraph graph, [[maybe_unused]] CUgraphNode before,
            [[maybe_unused]] CUgraphNode node) {
#if CUDA_VERSION >= 12030
    CUgraphEdgeData edge{};
    edge.from_port = CU_GRAPH_KERNEL_NODE_PORT_PROGRAMMATIC;
    edge.type = CU_GRAPH_DEPENDENCY_TYPE_PROGRAMMATIC;
    context.check(context.enter().graph_add_dependencies(graph, &before, &node, &edge, 1), "record which launch another follows");
#endif
}

// Adds `launch` to run after the node `before`; the first one has none before it.
CUgraphNode add(const CudaContext& context, CUgraph graph, CUgraphNode before, const Launch& launch) {
    void* args[] = {const_cast<std::byte*>(launch.args.data())}; // read during the call
    const auto& kernel = *static_cast<const CudaKernel*>(launch.kernel);
    CUDA_KERNEL_NODE_PARAMS params{};
    params.func = kernel.function();
    params.gridDimX = launch.grid[0];
    params.gridDimY = launch.grid[1];
    params.gridDimZ = launch.grid[2];
    params.blockDimX = launch.block[0];
    params.blockDimY = launch.block[1];
    params.blockDimZ = launch.block[2];
    params.kernelParams = args;
    CUgraphNode node = nullptr;
    const bool follows = before != nullptr && can_follow(context, kernel);
    const auto result = context.enter().cuGraphAddKernelNode(&node, graph, &before, before == nullptr || follows ? 0 : 1, &params);
    if (result != CUDA_SUCCESS) context.check(result, fmt::format("record the launch of \"{}\"", kernel.name()));
    if (follows) follow(context, graph, before, node);
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
