// A thread that carries out tasks one after the other, with marks between them: what a queue is on the CPU.
#pragma once

#include "device_runtime/queue.hpp"

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <thread>

namespace tessera {

// A mark that a thread of the host reaches.
class TaskPoint final : public Mark::Point {
public:
    using Clock = std::chrono::steady_clock;

    void wait() const override; // throws the fault that it was reached with
    bool done() const override;
    void wait_quietly() const;                    // without a word of faults
    [[nodiscard]] bool passed() const noexcept;   // reached, and behind no fault
    [[nodiscard]] Clock::time_point time() const; // when it was reached; waits, and throws likewise

    // Once.
    void reach(std::exception_ptr fault);

private:
    mutable std::mutex lock_;
    mutable std::condition_variable changed_;
    bool reached_ = false;
    std::exception_ptr fault_;
    Clock::time_point time_{};
};

// A mark that is reached so long after one of a thread of the host, as if news of it took that long. Throws Failure::internal for others.
[[nodiscard]] Mark later_than(const Mark& mark, std::chrono::nanoseconds delay);

// What a task throws is a fault: tasks behind it are skipped, and marks behind it throw it, until forget_fault() has been come by.
// push, mark and the waits may be called from any thread.
class TaskThread {
public:
    // Throws Failure::device when the system refuses a thread.
    TaskThread();
    ~TaskThread(); // when all tasks are done
    TaskThread(const TaskThread&) = delete;
    TaskThread& operator=(const TaskThread&) = delete;

    void push(std::function<void()> task);
    [[nodiscard]] std::shared_ptr<const TaskPoint> mark();

    void synchronize();    // waits for all tasks; throws their fault, and forgets it
    void drain() noexcept; // waits alone
    [[nodiscard]] std::shared_ptr<const TaskPoint> end_of_work() { return add_point(true); } // a mark behind which their fault is forgotten

private:
    struct Step {
        std::function<void()> task{};       // may be empty
        std::shared_ptr<TaskPoint> point{}; // reached behind the task; may be empty
        bool forgets = false;               // whether the fault ends here
    };
    std::shared_ptr<const TaskPoint> add_point(bool forgets);
    void add(Step step);
    void serve();
    [[nodiscard]] Step next(); // one that ends the thread has neither task nor point

    std::mutex lock_;
    std::condition_variable added_;
    std::deque<Step> steps_;
    std::exception_ptr fault_; // the thread's own
    std::thread thread_;
};

} // namespace tessera
