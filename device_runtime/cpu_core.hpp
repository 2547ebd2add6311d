// What the parts of one CPU device share: its threads, and the queues that use them.
#pragma once

#include "device_runtime/cpu_program.hpp"
#include "device_runtime/task_threads.hpp"
#include "device_runtime/thread_pool.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

// Shared by all that lives on the device, so that the threads outlive each of them. Thread-safe.
class CpuCore {
public:
    explicit CpuCore(int threads) : pool_(threads) {}

    [[nodiscard]] ThreadPool& pool() noexcept { return pool_; }

    // Calls the kernel for [0, items) and returns when that is done. Throws KernelFault; `number` is the launch's (KernelFault::launch).
    void run(const CpuEntry& kernel, const void* args, std::int64_t items, std::size_t number);

    [[nodiscard]] TaskThreads& queues() noexcept { return queues_; }

private:
    ThreadPool pool_;
    TaskThreads queues_; // those that have a thread
};

} // namespace tessera
