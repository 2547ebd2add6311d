#include "device_runtime/task_thread.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/float_environment.hpp"

#include <system_error>
#include <utility>

#include <pthread.h>

namespace tessera {

void TaskPoint::wait_quietly() const {
    std::unique_lock lock(lock_);
    changed_.wait(lock, [this] { return reached_; });
}

void TaskPoint::wait() const {
    wait_quietly();
    if (fault_) std::rethrow_exception(fault_);
}

bool TaskPoint::done() const {
    {
        const std::lock_guard lock(lock_);
        if (!reached_) return false;
    }
    wait();
    return true;
}

bool TaskPoint::passed() const noexcept {
    const std::lock_guard lock(lock_);
    return reached_ && !fault_;
}

TaskPoint::Clock::time_point TaskPoint::time() const {
    wait();
    return time_;
}

void TaskPoint::reach(std::exception_ptr fault) {
    const std::lock_guard lock(lock_);
    fault_ = std::move(fault);
    time_ = Clock::now();
    reached_ = true;
    changed_.notify_all();
}

namespace {

class LatePoint final : public Mark::Point {
public:
    LatePoint(Mark mark, const TaskPoint& point, std::chrono::nanoseconds delay) : mark_(std::move(mark)), point_(point), delay_(delay) {}
    void wait() const override { std::this_thread::sleep_until(point_.time() + delay_); }
    bool done() const override { return point_.done() && TaskPoint::Clock::now() >= point_.time() + delay_; }

private:
    Mark mark_; // keeps the point
    const TaskPoint& point_;
    std::chrono::nanoseconds delay_;
};

} // namespace

Mark later_than(const Mark& mark, std::chrono::nanoseconds delay) {
    const auto* point = dynamic_cast<const TaskPoint*>(mark.point().get());
    if (point == nullptr) throw Error(Failure::internal, "a mark of no thread was to be late");
    return Mark(std::make_shared<const LatePoint>(mark, *point, delay));
}

TaskThread::TaskThread() {
    try {
        thread_ = std::thread([this] { serve(); });
    } catch (const std::system_error& error) {
        throw Error(Failure::device, "the system refused to start a thread for a queue", error.code().message(), "Ask for fewer devices.");
    }
}

TaskThread::~TaskThread() {
    add({});
    thread_.join();
}

void TaskThread::push(std::function<void()> task) {
    Step step;
    step.task = std::move(task);
    add(std::move(step));
}

std::shared_ptr<const TaskPoint> TaskThread::mark() { return add_point(false); }

void TaskThread::synchronize() { end_of_work()->wait(); }

void TaskThread::drain() noexcept { add_point(false)->wait_quietly(); }

std::shared_ptr<const TaskPoint> TaskThread::add_point(bool forgets) {
    Step step;
    step.point = std::make_shared<TaskPoint>();
    step.forgets = forgets;
    std::shared_ptr<const TaskPoint> point = step.point;
    add(std::move(step));
    return point;
}

void TaskThread::add(Step step) {
    {
        const std::lock_guard lock(lock_);
        steps_.push_back(std::move(step));
    }
    added_.notify_one();
}

TaskThread::Step TaskThread::next() {
    std::unique_lock lock(lock_);
    added_.wait(lock, [this] { return !steps_.empty(); });
    auto step = std::move(steps_.front());
    steps_.pop_front();
    return step;
}

void TaskThread::serve() {
    set_default_arithmetic();
    pthread_setname_np(pthread_self(), "tessera-queue");
    for (auto step = next(); step.task || step.point; step = next()) {
        if (step.task && !fault_) try {
                step.task();
            } catch (...) {
                fault_ = std::current_exception();
            }
        step.task = nullptr; // what it holds ends before the point is reached
        if (step.point) step.point->reach(fault_);
        if (step.forgets) fault_ = nullptr;
    }
}

} // namespace tessera
