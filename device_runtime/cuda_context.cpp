#include "device_runtime/cuda_context.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

std::string_view advice(CUresult result) {
    switch (result) {
    case CUDA_ERROR_OUT_OF_MEMORY: return "make the grid smaller, or use more devices, or one with more memory";
    case CUDA_ERROR_ILLEGAL_ADDRESS:
    case CUDA_ERROR_MISALIGNED_ADDRESS:
    case CUDA_ERROR_ILLEGAL_INSTRUCTION:
    case CUDA_ERROR_LAUNCH_FAILED: return "a function of the model read or wrote outside of its data; run it on the CPU to find which";
    case CUDA_ERROR_ASSERT: return "an assertion in the model failed";
    case CUDA_ERROR_LAUNCH_TIMEOUT: return "the GPU also drives a display, which limits how long a kernel may run";
    case CUDA_ERROR_ECC_UNCORRECTABLE: return "use another GPU: the memory of this one is faulty";
    case CUDA_ERROR_DEVICE_UNAVAILABLE: return "another program holds the GPU for itself alone; `nvidia-smi` shows which";
    default: return {};
    }
}

} // namespace

CudaContext::CudaContext(std::shared_ptr<const CudaDriver> driver, int index)
    : driver_(std::move(driver)), name_(fmt::format("cuda:{}", index)) {
    const auto& cuda = driver_->functions();
    check(cuda.cuDeviceGet(&device_, index), "be found");
    check(cuda.cuDevicePrimaryCtxRetain(&context_, device_), "be opened");
    if (const auto result = cuda.cuCtxSetCurrent(context_); result != CUDA_SUCCESS) {
        cuda.cuDevicePrimaryCtxRelease(device_);
        check(result, "be used");
    }
}

CudaContext::~CudaContext() {
    const auto& cuda = enter_to_release();
    for (const auto& events : events_)
        for (const auto event : events) cuda.cuEventDestroy(event);
    cuda.cuDevicePrimaryCtxRelease(device_);
}

CUevent CudaContext::take_event(Timed timed) const {
    {
        const std::lock_guard lock(events_lock_);
        auto& events = events_[static_cast<std::size_t>(timed)];
        if (!events.empty()) {
            const auto event = events.back();
            events.pop_back();
            return event;
        }
    }
    CUevent event = nullptr;
    check(enter().cuEventCreate(&event, timed == Timed::yes ? CU_EVENT_DEFAULT : CU_EVENT_DISABLE_TIMING), "create an event");
    return event;
}

void CudaContext::give_back(CUevent event, Timed timed) const noexcept {
    try {
        const std::lock_guard lock(events_lock_);
        events_[static_cast<std::size_t>(timed)].push_back(event);
    } catch (...) { // no memory for the list
        enter_to_release().cuEventDestroy(event);
    }
}

CUstream CudaContext::create_stream(Priority priority) const {
    const auto& cuda = enter();
    int least = 0, greatest = 0; // a greater priority is a smaller number
    check(cuda.cuCtxGetStreamPriorityRange(&least, &greatest), "tell the priorities of streams");
    CUstream stream = nullptr;
    check(cuda.cuStreamCreateWithPriority(&stream, CU_STREAM_NON_BLOCKING, priority == Priority::high ? greatest : least),
          "create a stream");
    return stream;
}

void CudaContext::drain() const noexcept {
    threads_.drain();
    enter_to_release().cuCtxSynchronize();
}

const CudaFunctions& CudaContext::enter() const {
    check(driver_->functions().cuCtxSetCurrent(context_), "be used");
    return driver_->functions();
}

const CudaFunctions& CudaContext::enter_to_release() const noexcept {
    driver_->functions().cuCtxSetCurrent(context_);
    return driver_->functions();
}

void CudaContext::check(CUresult result, std::string_view operation) const {
    check(result, operation, result == CUDA_ERROR_OUT_OF_MEMORY ? Failure::memory : Failure::device, advice(result));
}

void CudaContext::check(CUresult result, std::string_view operation, Failure kind, std::string_view suggestion) const {
    if (result == CUDA_SUCCESS) return;
    throw Error(kind, fmt::format("{} could not {}", name_, operation), text_of(driver_->functions(), result), std::string(suggestion));
}

} // namespace tessera
