// The threads that work for one device, to wait for.
#pragma once

#include "device_runtime/task_thread.hpp"

#include <mutex>
#include <set>

namespace tessera {

// Thread-safe.
class TaskThreads {
public:
    void add(TaskThread& thread) {
        const std::lock_guard lock(lock_);
        threads_.insert(&thread);
    }
    void remove(TaskThread& thread) {
        const std::lock_guard lock(lock_);
        threads_.erase(&thread);
    }
    // Waits for what they hold by now.
    void drain() noexcept {
        const std::lock_guard lock(lock_); // all the while, so that no thread ends meanwhile
        for (auto* thread : threads_) thread->drain();
    }

private:
    std::mutex lock_;
    std::set<TaskThread*> threads_;
};

} // namespace tessera
