#include "device_runtime/cuda_memory.hpp"

#include "device_runtime/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>

namespace tessera {
namespace {

CUmemAllocationProp memory_of(CUdevice device) {
    CUmemAllocationProp kind{};
    kind.type = CU_MEM_ALLOCATION_TYPE_PINNED;
    kind.location.type = CU_MEM_LOCATION_TYPE_DEVICE;
    kind.location.id = device;
    return kind;
}

std::string free_text(const CudaFunctions& cuda) {
    std::size_t free = 0, total = 0;
    if (cuda.cuMemGetInfo(&free, &total) != CUDA_SUCCESS) return {};
    return fmt::format(" (it has {} free of {})", readable_bytes(free), readable_bytes(total));
}

std::string request(const CudaContext& context, std::size_t bytes) {
    return fmt::format("allocate {}{}", readable_bytes(bytes), free_text(context.enter()));
}

void clear(const CudaContext& context, CUdeviceptr start, std::size_t bytes) {
    const auto& cuda = context.enter();
    const CUstream stream = context.create_stream(Priority::normal); // in no queue: these may hold work for a long time
    auto result = cuda.cuMemsetD8Async(start, 0, bytes, stream);
    if (result == CUDA_SUCCESS) result = cuda.cuStreamSynchronize(stream);
    cuda.cuStreamDestroy(stream);
    context.check(result, "clear its memory");
}

} // namespace

std::size_t granularity_of(const CudaContext& context) {
    const auto kind = memory_of(context.device());
    std::size_t granularity = 0;
    context.check(context.enter().cuMemGetAllocationGranularity(&granularity, &kind, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                  "tell how it allocates memory");
    return granularity;
}

PinnedMemory::PinnedMemory(std::shared_ptr<const CudaContext> context, std::size_t bytes) : context_(std::move(context)) {
    const auto& cuda = context_->enter();
    context_->check(cuda.cuMemHostAlloc(&address, bytes, CU_MEMHOSTALLOC_PORTABLE),
                    fmt::format("pin {} of host memory", readable_bytes(bytes)));
    std::memset(address, 0, bytes);
    size = bytes;
}

PinnedMemory::~PinnedMemory() {
    context_->drain();
    context_->enter_to_release().cuMemFreeHost(address);
}

CudaRange::CudaRange(std::vector<std::shared_ptr<const CudaContext>> sharers, std::size_t bytes) : sharers_(std::move(sharers)) {
    const auto& context = *sharers_.front();
    std::size_t page = 0;
    for (const auto& sharer : sharers_) page = std::max(page, granularity_of(*sharer));
    reserved_ = whole_pages(bytes, page);
    if (reserved_ == 0) context.check(CUDA_ERROR_OUT_OF_MEMORY, fmt::format("allocate {}", readable_bytes(bytes)));
    const auto result = context.enter().cuMemAddressReserve(&start_, reserved_, 0, 0, 0);
    if (result != CUDA_SUCCESS) context.check(result, request(context, reserved_));
    address = reinterpret_cast<void*>(start_);
    size = bytes;
}

CudaRange::~CudaRange() {
    for (const auto& context : sharers_) context->drain(); // unmapping does not wait for the launches that use it
    for (const auto& part : parts_) unmap(part);
    sharers_.front()->enter_to_release().cuMemAddressFree(start_, reserved_);
}

void CudaRange::back(const CudaContext& context, std::size_t offset, std::size_t bytes) {
    const auto page = granularity_of(context);
    const BackedPart part{offset, whole_pages(bytes, page)};
    check_part(parts_, part, page, reserved_);
    parts_.reserve(parts_.size() + 1);
    const auto start = start_ + offset;
    if (const auto result = map(context, start, part.size); result != CUDA_SUCCESS) context.check(result, request(context, part.size));
    try {
        clear(context, start, part.size);
    } catch (...) {
        unmap(part);
        throw;
    }
    parts_.push_back(part);
}

ManagedRange::ManagedRange(std::vector<std::shared_ptr<const CudaContext>> sharers, std::size_t bytes) : sharers_(std::move(sharers)) {
    std::size_t page = 0;
    for (const auto& sharer : sharers_) {
        int beside_others = 0;
        sharer->check(sharer->enter().cuDeviceGetAttribute(&beside_others, CU_DEVICE_ATTRIBUTE_CONCURRENT_MANAGED_ACCESS, sharer->device()),
                      "tell whether it has managed memory");
        if (beside_others == 0) sharer->check(CUDA_ERROR_NOT_SUPPORTED, "work on managed memory beside others");
        page = std::max(page, granularity_of(*sharer));
    }
    const auto& context = *sharers_.front();
    reserved_ = whole_pages(bytes, page);
    if (reserved_ == 0) context.check(CUDA_ERROR_OUT_OF_MEMORY, fmt::format("allocate {}", readable_bytes(bytes)));
    if (const auto result = context.enter().cuMemAllocManaged(&start_, reserved_, CU_MEM_ATTACH_GLOBAL); result != CUDA_SUCCESS)
        context.check(result, request(context, reserved_));
    address = reinterpret_cast<void*>(start_);
    size = bytes;
}

ManagedRange::~ManagedRange() {
    for (const auto& context : sharers_) context->drain();
    sharers_.front()->enter_to_release().cuMemFree(start_);
}

// Whoever touches a page first has it.
void ManagedRange::back(const CudaContext& context, std::size_t offset, std::size_t bytes) {
    const auto page = granularity_of(context);
    const BackedPart part{offset, whole_pages(bytes, page)};
    check_part(parts_, part, page, reserved_);
    clear(context, start_ + offset, part.size);
    parts_.push_back(part);
}

void CudaRange::unmap(const BackedPart& part) const noexcept {
    sharers_.front()->enter_to_release().cuMemUnmap(start_ + part.offset, part.size);
}

CUresult CudaRange::map(const CudaContext& context, CUdeviceptr start, std::size_t bytes) const {
    const auto& cuda = context.enter();
    const auto kind = memory_of(context.device());
    CUmemGenericAllocationHandle physical = 0;
    auto result = cuda.cuMemCreate(&physical, bytes, &kind, 0);
    if (result != CUDA_SUCCESS) return result;
    result = cuda.cuMemMap(start, bytes, 0, physical, 0);
    cuda.cuMemRelease(physical); // the mapping keeps it
    if (result != CUDA_SUCCESS) return result;
    std::map<CUdevice, CUmemAccessDesc> access; // one a GPU: two devices may be one
    for (const auto& sharer : sharers_)
        access[sharer->device()] = {memory_of(sharer->device()).location, CU_MEM_ACCESS_FLAGS_PROT_READWRITE};
    std::vector<CUmemAccessDesc> all;
    for (const auto& [device, each] : access) all.push_back(each);
    result = cuda.cuMemSetAccess(start, bytes, all.data(), all.size());
    if (result != CUDA_SUCCESS) cuda.cuMemUnmap(start, bytes);
    return result;
}

} // namespace tessera
