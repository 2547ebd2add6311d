// The rows of one size: kernels by hand, and the model in every view that is wanted.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/bench/plan.hpp"
#include "host/bench/reference.hpp"
#include "host/bench/report.hpp"
#include "host/run/interrupt.hpp"
#include "jit/compiler.hpp"

#include <optional>
#include <vector>

namespace tessera::bench {

// What measuring stands on; all of it outlives the call.
struct Workbench {
    Device& device;
    jit::Compiler& compiler;
    ThreadPool& pool;
    const InterruptGuard& interrupt;
    const Views& views;
    const std::optional<Reference>& reference;
    int samples;
};

// Every view starts from the same state 0 and makes some steps, whose state is compared with that of single steps, before it is timed.
// `blank` has the size. A view that cannot be had is a row that says why. After an interrupt no more rows are begun. Throws what single
// steps throw: Failure::compile for a model that does not compile for the device at all, Failure::memory for a size that does not fit.
[[nodiscard]] std::vector<Row> measure(const Workbench& workbench, const Setup& setup, const Row& blank);

} // namespace tessera::bench
