// A mark in a GPU's stream: an event. Needs cuda.h.
#pragma once

#include "device_runtime/cuda_context.hpp"
#include "device_runtime/queue.hpp"
#include "device_runtime/task_thread.hpp"

#include <memory>

namespace tessera {

inline constexpr std::string_view queued_work = "finish the work queued on it";

class CudaEvent {
public:
    CudaEvent(std::shared_ptr<const CudaContext> context, Timed timed);
    ~CudaEvent();
    CudaEvent(const CudaEvent&) = delete;
    CudaEvent& operator=(const CudaEvent&) = delete;

    [[nodiscard]] const CudaContext& context() const noexcept { return *context_; }
    [[nodiscard]] CUevent get() const noexcept { return event_; }

private:
    std::shared_ptr<const CudaContext> context_;
    Timed timed_;
    CUevent event_ = nullptr;
};

class CudaPoint final : public Mark::Point {
public:
    // `recorded`: reached when the event has been put into its stream; null if it has been.
    explicit CudaPoint(std::shared_ptr<const CudaEvent> event, std::shared_ptr<const TaskPoint> recorded = {})
        : event_(std::move(event)), recorded_(std::move(recorded)) {}

    void wait() const override;
    bool done() const override;

    [[nodiscard]] double seconds_since(const CudaPoint& from) const; // of the same context; waits for both
    [[nodiscard]] bool is_of(const CudaContext& context) const noexcept { return &event_->context() == &context; }
    [[nodiscard]] CUevent event() const noexcept { return event_->get(); }

    // Blocks until the event stands in its stream. Throws the fault for which it never will.
    void wait_until_recorded() const {
        if (recorded_) recorded_->wait();
    }
    // Whether it does by now; false also when it never will.
    [[nodiscard]] bool is_recorded() const noexcept { return !recorded_ || recorded_->passed(); }

private:
    std::shared_ptr<const CudaEvent> event_;
    std::shared_ptr<const TaskPoint> recorded_;
};

} // namespace tessera
