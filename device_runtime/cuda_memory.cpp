#include "device_runtime/cuda_memory.hpp"

#include "device_runtime/machine.hpp"

#include <fmt/format.h>

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

} // namespace

CudaBlock::CudaBlock(std::shared_ptr<const CudaContext> context, std::size_t bytes) : context_(std::move(context)) {
    const auto& cuda = context_->enter();
    const auto kind = memory_of(context_->device());
    std::size_t granularity = 0;
    context_->check(cuda.cuMemGetAllocationGranularity(&granularity, &kind, CU_MEM_ALLOC_GRANULARITY_RECOMMENDED),
                    "tell how it allocates memory");
    if (bytes > SIZE_MAX - granularity) context_->check(CUDA_ERROR_OUT_OF_MEMORY, fmt::format("allocate {}", readable_bytes(bytes)));
    mapped_ = (bytes + granularity - 1) / granularity * granularity;
    map(kind);
    address = reinterpret_cast<void*>(start_);
    size = bytes;
}

CudaBlock::~CudaBlock() {
    const auto& cuda = context_->enter_to_release();
    cuda.cuStreamSynchronize(context_->stream()); // unmapping does not wait for the launches that use it
    cuda.cuMemUnmap(start_, mapped_);
    cuda.cuMemAddressFree(start_, mapped_);
}

void CudaBlock::map(const CUmemAllocationProp& kind) {
    const auto& cuda = context_->enter();
    const auto what = [&] { return fmt::format("allocate {}{}", readable_bytes(mapped_), free_text(cuda)); };
    if (const auto result = cuda.cuMemAddressReserve(&start_, mapped_, 0, 0, 0); result != CUDA_SUCCESS) context_->check(result, what());
    if (const auto result = map_physical(cuda, kind); result != CUDA_SUCCESS) {
        cuda.cuMemAddressFree(start_, mapped_);
        context_->check(result, what());
    }
}

CUresult CudaBlock::map_physical(const CudaFunctions& cuda, const CUmemAllocationProp& kind) const {
    CUmemGenericAllocationHandle physical = 0;
    auto result = cuda.cuMemCreate(&physical, mapped_, &kind, 0);
    if (result != CUDA_SUCCESS) return result;
    result = cuda.cuMemMap(start_, mapped_, 0, physical, 0);
    cuda.cuMemRelease(physical); // the mapping keeps it
    if (result != CUDA_SUCCESS) return result;
    CUmemAccessDesc access{};
    access.location = kind.location;
    access.flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
    result = cuda.cuMemSetAccess(start_, mapped_, &access, 1);
    if (result != CUDA_SUCCESS) cuda.cuMemUnmap(start_, mapped_);
    return result;
}

} // namespace tessera
