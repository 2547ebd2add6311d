#include "device_runtime/cuda_mark.hpp"

namespace tessera {

CudaEvent::CudaEvent(std::shared_ptr<const CudaContext> context, Timed timed)
    : context_(std::move(context)), timed_(timed), event_(context_->take_event(timed)) {}

CudaEvent::~CudaEvent() { context_->give_back(event_, timed_); }

void CudaPoint::wait() const {
    wait_until_recorded();
    const auto& context = event_->context();
    context.check(context.enter().cuEventSynchronize(event()), queued_work);
}

bool CudaPoint::done() const {
    if (recorded_ && !recorded_->done()) return false;
    const auto& context = event_->context();
    const auto result = context.enter().cuEventQuery(event());
    if (result != CUDA_ERROR_NOT_READY) context.check(result, queued_work);
    return result == CUDA_SUCCESS;
}

double CudaPoint::seconds_since(const CudaPoint& from) const {
    from.wait();
    wait();
    float milliseconds = 0;
    const auto& context = event_->context();
    context.check(context.enter().event_elapsed_time(&milliseconds, from.event(), event()), "tell the time between two marks");
    return static_cast<double>(milliseconds) * 1e-3;
}

} // namespace tessera
