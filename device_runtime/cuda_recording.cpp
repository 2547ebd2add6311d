#include "device_runtime/cuda_recording.hpp"

#include "device_runtime/cuda_program.hpp"

#include <fmt/format.h>

#include <vector>

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

// Adds `launch` to run after the nodes `before`: closely where it `follows` the one node that they are.
CUgraphNode add(const CudaContext& context, CUgraph graph, const std::vector<CUgraphNode>& before, bool follows, const Launch& launch) {
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
    const auto result = context.enter().cuGraphAddKernelNode(&node, graph, before.data(), follows ? 0 : before.size(), &params);
    if (result != CUDA_SUCCESS) context.check(result, fmt::format("record the launch of \"{}\"", kernel.name()));
    if (follows) follow(context, graph, before.front(), node);
    return node;
}

// What number `launch` waits for, among the nodes that are there.
std::vector<CUgraphNode> nodes_before(const LaunchOrder& order, std::size_t launch, const std::vector<CUgraphNode>& nodes) {
    std::vector<CUgraphNode> before;
    if (order.empty() && launch > 0) before.push_back(nodes.back());
    if (!order.empty())
        for (const auto other : order[launch]) before.push_back(nodes[other]);
    return before;
}

} // namespace

CudaGraph::CudaGraph(std::shared_ptr<const CudaContext> context, std::span<const Launch> launches, const LaunchOrder& order,
                     CUstream stream)
    : context_(std::move(context)) {
    const auto& cuda = context_->enter();
    const GraphOwner graph(*context_);
    std::vector<CUgraphNode> nodes;
    for (std::size_t i = 0; i < launches.size(); ++i) {
        const bool follows = waits_for_one(order, i) && can_follow(*context_, *static_cast<const CudaKernel*>(launches[i].kernel));
        nodes.push_back(add(*context_, graph.get(), nodes_before(order, i, nodes), follows, launches[i]));
    }
    context_->check(cuda.cuGraphInstantiateWithFlags(&graph_, graph.get(), 0), "make a graph of the launches");
    if (const auto result = cuda.cuGraphUpload(graph_, stream); result != CUDA_SUCCESS) {
        cuda.cuGraphExecDestroy(graph_);
        context_->check(result, "take over a graph");
    }
}

CudaGraph::~CudaGraph() { context_->enter_to_release().cuGraphExecDestroy(graph_); }

} // namespace tessera
