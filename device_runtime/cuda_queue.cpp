#include "device_runtime/cuda_queue.hpp"

#include "device_runtime/cuda_program.hpp"
#include "device_runtime/handed_in.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

// Whether the stream can wait for it by itself.
bool is_in_a_stream(const Mark& mark) {
    const auto* point = dynamic_cast<const CudaPoint*>(mark.point().get());
    return point != nullptr && point->is_recorded();
}

// Whether there is nothing to wait for. What stands behind a fault is waited for, so that the fault is met in order.
bool is_reached(const Mark& mark) {
    const auto* point = dynamic_cast<const TaskPoint*>(mark.point().get());
    return mark.point() == nullptr || (point != nullptr && point->passed());
}

} // namespace

CudaQueue::CudaQueue(std::shared_ptr<const CudaContext> context, Priority priority)
    : context_(std::move(context)), stream_(context_, priority) {}

CudaQueue::~CudaQueue() {
    if (!feeder_) return;
    context_->threads().remove(*feeder_);
    feeder_.reset(); // behind its tasks
}

void CudaQueue::check(const Launch& launch) const {
    check_shape(launch);
    constexpr std::size_t most_before_12_1 = 4096;
    if (launch.args.size() > most_before_12_1 && context_->driver_version() < 12010)
        throw Error(Failure::device, fmt::format("{} names too many members for the driver of {}", launch.kernel->name(), context_->name()),
                    fmt::format("drivers before CUDA 12.1 hand over {} bytes, and it takes {}", most_before_12_1, launch.args.size()),
                    "update the driver");
    if (!made_by<CudaKernel>(context_->name(), *launch.kernel).is_of(*context_)) made_by_another(context_->name());
}

TaskThread& CudaQueue::feeder() {
    if (!feeder_) {
        feeder_.emplace();
        context_->threads().add(*feeder_);
    }
    feeds_ = true;
    return *feeder_;
}

void CudaQueue::wait_for_feeder() {
    if (!feeds_) return;
    feeder_->mark()->wait();
    feeds_ = false;
}

void CudaQueue::launch(const Launch& launch) {
    check(launch);
    if (!feeds_) return stream_.launch(launch);
    feeder().push([this, launch] { stream_.launch(launch); });
}

std::unique_ptr<Recording> CudaQueue::record(std::span<const Launch> launches, const LaunchOrder& order) {
    for (const auto& launch : launches) check(launch);
    return std::make_unique<CudaRecording>(context_, launches, order, stream_.get());
}

void CudaQueue::replay(const Recording& recording) {
    const auto& graph = made_by<CudaRecording>(context_->name(), recording).graph();
    if (!graph->is_of(*context_)) made_by_another(context_->name());
    if (!feeds_) return stream_.replay(*graph);
    feeder().push([this, graph] { stream_.replay(*graph); });
}

Mark CudaQueue::mark(Timed timed) {
    auto event = std::make_shared<const CudaEvent>(context_, timed);
    if (!feeds_) {
        stream_.record(*event);
        return Mark(std::make_shared<const CudaPoint>(std::move(event)));
    }
    feeder().push([this, event] { stream_.record(*event); });
    auto recorded = feeder().mark();
    return Mark(std::make_shared<const CudaPoint>(std::move(event), std::move(recorded)));
}

void CudaQueue::after(const Mark& mark) {
    if (!feeds_) {
        if (is_reached(mark)) return;
        if (is_in_a_stream(mark)) return stream_.after(static_cast<const CudaPoint&>(*mark.point()));
    }
    feeder().push([this, mark] {
        const auto* point = dynamic_cast<const CudaPoint*>(mark.point().get());
        if (point == nullptr) return mark.wait();
        point->wait_until_recorded();
        stream_.after(*point);
    });
}

void CudaQueue::copy(const Copy& copy) {
    if (!feeds_) return stream_.copy(copy);
    feeder().push([this, copy] { stream_.copy(copy); });
}

void CudaQueue::write(void* device, const void* host, std::size_t bytes) {
    wait_for_feeder();
    stream_.write(device, host, bytes);
}

void CudaQueue::read(void* host, const void* device, std::size_t bytes) {
    wait_for_feeder();
    stream_.read(host, device, bytes);
}

void CudaQueue::synchronize() {
    const auto fed = feeds_ ? feeder_->end_of_work() : nullptr;
    if (fed) fed->wait_quietly();
    feeds_ = false;
    stream_.synchronize(); // also what was put into it before a fault
    if (fed) fed->wait();
}

} // namespace tessera
