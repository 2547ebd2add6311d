// Launches recorded as a CUDA graph: a chain of kernel nodes, instantiated once. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/device.hpp"

#include <memory>
#include <span>

namespace tessera {

class CudaRecording final : public Recording {
public:
    // The launches' kernels must be CudaKernels of this context.
    CudaRecording(std::shared_ptr<const CudaContext> context, std::span<const Launch> launches);
    ~CudaRecording() override;
    CudaRecording(const CudaRecording&) = delete;
    CudaRecording& operator=(const CudaRecording&) = delete;

    std::size_t launches() const noexcept override { return launches_; }
    [[nodiscard]] CUgraphExec graph() const noexcept { return graph_; }

private:
    std::shared_ptr<const CudaContext> context_;
    std::size_t launches_;
    CUgraphExec graph_ = nullptr;
};

} // namespace tessera
