// From phases to launches: what one step, or several in a row, ask of the device.
#pragma once

#include "device_runtime/device.hpp"
#include "host/views/fused_program.hpp"
#include "host/world/kernel_source.hpp"
#include "host/world/world.hpp"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// A loaded image's entry points, in the order of Setup::kernels.
struct Kernels {
    std::vector<const Kernel*> calls;
    const Kernel* advance = nullptr;
    std::vector<LaunchShape> shapes;
};

// A loaded program, as long as its image is.
struct FusedKernel {
    FusedProgram program;
    CallSequence all; // of all its steps
    const Kernel* kernel = nullptr;
    LaunchShape shape;

    // Of a program of words: two memories for each column that it uses, and what fills them from the columns and back.
    std::vector<std::array<Memory, 2>> words{};
    const Kernel *pack = nullptr, *unpack = nullptr;
    LaunchShape convert{};
};

// Columns that a program's calls use, or that change names.
[[nodiscard]] std::vector<bool> columns_used(const Setup& setup, const CallSequence& all);
// Columns that need a spare for a program to write.
[[nodiscard]] std::vector<bool> columns_with_spares(const Setup& setup, const FusedKernel& fused);

class StepPlan {
public:
    StepPlan(const Setup& setup, const World& world, const Kernels& kernels) : setup_(setup), world_(world), kernels_(kernels) {}

    // The launches of one phase, if it runs in step `step`; `placement` becomes what it is behind it. The step number that functions see is
    // the device's counter plus `after_counter`.
    void append_phase(std::size_t phase, std::uint64_t step, std::uint64_t after_counter, Placement& placement,
                      std::vector<Launch>& launches) const;

    // A call of a kernel, outside of the phases (init functions) or within.
    void append_call(std::size_t kernel, int call_in_step, std::uint64_t after_counter, Placement& placement,
                     std::vector<Launch>& launches) const;

    // All steps of a program at once, `times` times. The columns that need one have a spare (columns_with_spares).
    void append_program(const FusedKernel& fused, std::uint64_t times, std::uint64_t after_counter, Placement& placement,
                        std::vector<Launch>& launches) const;

    // Adds to the device's step counter.
    [[nodiscard]] Launch advance(std::uint64_t by) const;

    // Which phases run in the steps [from, from + count), as a key: equal keys and placements give equal launches.
    [[nodiscard]] std::string activity(std::uint64_t from, std::uint64_t count) const;

private:
    void append_columns(const FusedKernel& fused, std::uint64_t after_counter, Placement& placement, std::vector<Launch>& launches) const;
    void append_words(const FusedKernel& fused, std::uint64_t times, std::uint64_t after_counter, Placement& placement,
                      std::vector<Launch>& launches) const;
    [[nodiscard]] Launch launch_of(const FusedKernel& fused, const std::vector<const void*>& in, const std::vector<void*>& out,
                                   std::uint64_t after_counter) const;
    [[nodiscard]] std::uint64_t random_key(std::size_t kernel, int call_in_step) const;

    const Setup& setup_;
    const World& world_;
    const Kernels& kernels_;
};

} // namespace tessera
