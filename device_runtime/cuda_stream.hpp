// A stream of a GPU, and what is put into it at once. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/cuda_mark.hpp"
#include "device_runtime/cuda_recording.hpp"
#include "device_runtime/cuda_staging.hpp"

#include <cstddef>
#include <memory>

namespace tessera {

// For one thread at a time. Each call throws when the driver refuses it, or tells of an earlier fault.
class CudaStream {
public:
    // Its destructor waits.
    CudaStream(std::shared_ptr<const CudaContext> context, Priority priority);

    void launch(const Launch& launch); // one that was checked
    void replay(const CudaGraph& graph);
    void record(const CudaEvent& event);
    void after(const CudaPoint& point); // whose event is recorded
    void copy(const Copy& copy);
    void write(void* device, const void* host, std::size_t bytes) {
        staging_.write(address_of(device), static_cast<const std::byte*>(host), bytes);
    }
    void read(void* host, const void* device, std::size_t bytes) {
        staging_.read(static_cast<std::byte*>(host), address_of(device), bytes);
    }
    void synchronize();

    [[nodiscard]] CUstream get() const noexcept { return handle_.stream; }

private:
    [[nodiscard]] static CUdeviceptr address_of(const void* address) noexcept { return reinterpret_cast<CUdeviceptr>(address); }

    struct Handle {
        Handle(const CudaContext& of, Priority priority) : context(of), stream(of.create_stream(priority)) {}
        ~Handle();
        Handle(const Handle&) = delete;
        Handle& operator=(const Handle&) = delete;

        const CudaContext& context;
        CUstream stream;
    };

    std::shared_ptr<const CudaContext> context_;
    Handle handle_;
    CudaStaging staging_; // goes before the stream that it copies through
};

} // namespace tessera
