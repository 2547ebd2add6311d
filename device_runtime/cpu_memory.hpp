// A range of addresses of this process, behind which CPU devices put memory.
#pragma once

#include "device_runtime/backed_parts.hpp"
#include "device_runtime/cpu_core.hpp"
#include "device_runtime/cpu_device.hpp" // Overruns
#include "device_runtime/device.hpp"

#include <memory>
#include <vector>

namespace tessera {

class CpuRange final : public Memory::Block {
public:
    // Of whole pages, none of which can be touched yet. Throws Failure::memory. `sharers`: whose queues may use it. One that stops overruns
    // ends where its pages do, and is backed as a whole.
    CpuRange(std::vector<std::shared_ptr<CpuCore>> sharers, std::size_t bytes, Overruns overruns);
    ~CpuRange() override;

    // Zero-filled; the pages are placed near the threads of `core` that will use them. Throws Failure::memory, and Failure::internal for a
    // part that is beyond the range, is not of whole pages or has memory already.
    void back(CpuCore& core, std::size_t offset, std::size_t bytes);

    [[nodiscard]] static std::size_t page(); // bytes

private:
    std::vector<std::shared_ptr<CpuCore>> sharers_;
    std::size_t reserved_; // bytes, whole pages
    std::size_t fence_;    // bytes on both sides of them that stay nobody's
    std::byte* pages_ = nullptr;
    std::vector<BackedPart> parts_;
};

} // namespace tessera
