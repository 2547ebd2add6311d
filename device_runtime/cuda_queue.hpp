// A queue on a GPU: a stream, and a thread that feeds it where the order waits for what is not the GPU's. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_stream.hpp"
#include "device_runtime/queue.hpp"

#include <memory>
#include <optional>

namespace tessera {

// What is asked goes to the driver at once, which is asynchronous. A GPU cannot wait for a mark of the CPU, nor skip what stands in a
// stream when that mark turns out to be behind a fault: from such a mark on, a thread keeps what is asked and hands it over once the mark
// is reached, until the queue has come to rest.
class CudaQueue final : public Queue {
public:
    CudaQueue(std::shared_ptr<const CudaContext> context, Priority priority);
    ~CudaQueue() override;
    CudaQueue(const CudaQueue&) = delete;
    CudaQueue& operator=(const CudaQueue&) = delete;

    void launch(const Launch& launch) override;
    [[nodiscard]] bool runs_side_by_side() const noexcept override { return true; }
    std::unique_ptr<Recording> record(std::span<const Launch> launches, const LaunchOrder& order) override;
    void replay(const Recording& recording) override;
    Mark mark(Timed timed) override;
    void after(const Mark& mark) override;
    void copy(const Copy& copy) override;
    void write(void* device, const void* host, std::size_t bytes) override;
    void read(void* host, const void* device, std::size_t bytes) override;
    void synchronize() override;

private:
    void check(const Launch& launch) const;
    [[nodiscard]] TaskThread& feeder(); // from now on everything goes through it
    void wait_for_feeder();             // throws its fault; without one, everything goes to the driver again

    std::shared_ptr<const CudaContext> context_;
    CudaStream stream_;
    std::optional<TaskThread> feeder_; // started when it is needed
    bool feeds_ = false;               // whether it has what was asked last
};

} // namespace tessera
