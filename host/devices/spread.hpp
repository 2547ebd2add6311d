// A setup over devices that are open.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/distribution/distribute.hpp"
#include "jit/compiler.hpp"

#include <vector>

namespace tessera {

// Logs them.
void log_remarks(const std::vector<Remark>& remarks);

// The setup, as it is bound, over these devices, a partition each: as `distribute` decides by what they can do. Remarks are logged, unless
// they were before. Throws what asking devices and distributing throw.
[[nodiscard]] Setup spread(const Setup& setup, const std::vector<Device*>& devices, bool was_logged = false);

// The same for a run, which has its cuts measured where the run file says so (measure_speeds).
[[nodiscard]] Setup spread_run(const Setup& setup, const std::vector<Device*>& devices, jit::Compiler& compiler, ThreadPool& pool,
                               bool was_logged);

} // namespace tessera
