// Memory from CUDA: an address range with physical memory of GPUs mapped into it, and pages of the host. Needs cuda.h.
#pragma once

#include "device_runtime/backed_parts.hpp"
#include "device_runtime/cuda_context.hpp"
#include "device_runtime/device.hpp"

#include <cstddef>
#include <memory>
#include <vector>

namespace tessera {

// Addresses that GPUs share; rounded up to their granularity (2 MiB), and nothing stands behind them at first.
class BackedRange : public Memory::Block {
public:
    // Memory of the context's GPU, zero-filled when the call returns. Throws Failure::memory, and Failure::internal for a part that is
    // beyond the range, is not of whole pages or has memory already.
    virtual void back(const CudaContext& context, std::size_t offset, std::size_t bytes) = 0;
};

class CudaRange final : public BackedRange {
public:
    // `sharers` are the GPUs that will reach it, at least one, the first of which messages name. Throws Failure::memory.
    CudaRange(std::vector<std::shared_ptr<const CudaContext>> sharers, std::size_t bytes);
    ~CudaRange() override;

    void back(const CudaContext& context, std::size_t offset, std::size_t bytes) override;

private:
    [[nodiscard]] CUresult map(const CudaContext& context, CUdeviceptr start, std::size_t bytes) const;
    void unmap(const BackedPart& part) const noexcept;

    std::vector<std::shared_ptr<const CudaContext>> sharers_;
    CUdeviceptr start_ = 0;
    std::size_t reserved_ = 0; // bytes
    std::vector<BackedPart> parts_;
};

// Managed memory: pages begin where they are backed, and move to whichever GPU touches them.
class ManagedRange final : public BackedRange {
public:
    // As a CudaRange. Throws Failure::device too, for a GPU whose kernels cannot work on such memory beside others.
    ManagedRange(std::vector<std::shared_ptr<const CudaContext>> sharers, std::size_t bytes);
    ~ManagedRange() override;

    void back(const CudaContext& context, std::size_t offset, std::size_t bytes) override;

private:
    std::vector<std::shared_ptr<const CudaContext>> sharers_;
    CUdeviceptr start_ = 0;
    std::size_t reserved_ = 0; // bytes
    std::vector<BackedPart> parts_;
};

// Of the host, page-locked for all GPUs.
class PinnedMemory final : public Memory::Block {
public:
    // Zero-filled. Throws Failure::memory, and Failure::device where the driver does not do that.
    PinnedMemory(std::shared_ptr<const CudaContext> context, std::size_t bytes);
    ~PinnedMemory() override; // behind what its GPU's queues do

private:
    std::shared_ptr<const CudaContext> context_;
};

[[nodiscard]] std::size_t granularity_of(const CudaContext& context);

} // namespace tessera
