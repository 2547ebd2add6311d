// The rows of one size: kernels by hand, and the model in every view that is wanted.
#pragma once

#include "device_runtime/device.hpp"
#include "device_runtime/thread_pool.hpp"
#include "host/bench/plan.hpp"
#include "host/bench/reference.hpp"
#include "host/bench/report.hpp"
#include "host/session/interrupt.hpp"
#include "jit/compiler.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace tessera::bench {

// What measuring stands on; all of it outlives the call.
struct Workbench {
    std::vector<Device*> devices; // that share the grid
    jit::Compiler& compiler;
    ThreadPool& pool;
    const InterruptGuard& interrupt;
    const Views& views;
    const std::optional<Reference>& reference;
    int samples;
    std::map<Size, std::uint64_t>& hashes; // of the state after some single steps, as those saw it that measured a size first
};

// Every view starts from the same state 0 and makes some steps, whose state is compared with that of single steps, before it is timed.
// `blank` has the size. The setup is divided over the devices. Kernels by hand are for one. A view that cannot be had is a row that says
// why. After an interrupt no more rows are begun. Throws what single steps throw: Failure::compile for a model that does not compile for
// the device at all, Failure::memory for a size that does not fit.
[[nodiscard]] std::vector<Row> measure(const Workbench& workbench, const Setup& setup, const Row& blank);

} // namespace tessera::bench
