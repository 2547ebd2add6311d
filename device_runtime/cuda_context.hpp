// One GPU's primary context, and the check that turns a driver's result into an Error. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_driver.hpp"
#include "device_runtime/cuda_functions.hpp"
#include "device_runtime/error.hpp"
#include "device_runtime/queue.hpp"
#include "device_runtime/task_threads.hpp"

#include <array>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace tessera {

// Shared by all that lives on the device, so that the context outlives each of them.
class CudaContext {
public:
    CudaContext(std::shared_ptr<const CudaDriver> driver, int index);
    ~CudaContext();
    CudaContext(const CudaContext&) = delete;
    CudaContext& operator=(const CudaContext&) = delete;

    [[nodiscard]] int driver_version() const noexcept { return driver_->version(); }
    [[nodiscard]] const std::string& name() const noexcept { return name_; }
    [[nodiscard]] CUdevice device() const noexcept { return device_; }
    // Threads that give work to the device later.
    [[nodiscard]] TaskThreads& threads() const noexcept { return threads_; }

    // A stream that does not wait for others. Throws Failure::device.
    [[nodiscard]] CUstream create_stream(Priority priority) const;

    // An event to record, and back when nobody holds it: making one takes the driver long enough to be seen. What waits for what it was
    // recorded for goes on waiting for that. Thread-safe.
    [[nodiscard]] CUevent take_event(Timed timed) const;
    void give_back(CUevent event, Timed timed) const noexcept;

    // Waits for all streams of the GPU, also for what threads are yet to give them. Says nothing of what went wrong.
    void drain() const noexcept;

    // The driver's functions, with the context made current in the calling thread.
    [[nodiscard]] const CudaFunctions& enter() const;
    // The same for destructors: no error leaves it, since there is nobody to tell (the process may be ending already).
    [[nodiscard]] const CudaFunctions& enter_to_release() const noexcept;

    // Throws unless `result` is success. `operation` completes the sentence "cuda:0 could not ...".
    void check(CUresult result, std::string_view operation) const;
    void check(CUresult result, std::string_view operation, Failure kind, std::string_view suggestion) const;

private:
    std::shared_ptr<const CudaDriver> driver_;
    std::string name_;
    CUdevice device_ = 0;
    CUcontext context_ = nullptr;
    mutable TaskThreads threads_;
    mutable std::mutex events_lock_;
    mutable std::array<std::vector<CUevent>, 2> events_; // by Timed; nobody's for now
};

} // namespace tessera
