// The two kinds of queue that a CPU has: a thread of its own, and the thread that asks.
#pragma once

#include "device_runtime/cpu_core.hpp"
#include "device_runtime/queue.hpp"
#include "device_runtime/task_thread.hpp"

#include <memory>

namespace tessera {

[[nodiscard]] std::unique_ptr<Queue> make_cpu_queue(std::shared_ptr<CpuCore> core, Execution execution);

} // namespace tessera
