// Reductions of expressions over places, made where the state is: each device adds up what it has, and some words come to the host
// (kernels/reduce/any_reduce.hpp).
#pragma once

#include "device_runtime/device.hpp"
#include "host/execute/loaded_model.hpp"
#include "host/run_file/expression_partial.hpp"
#include "jit/compiler.hpp"

#include <cstdint>
#include <memory>
#include <vector>

namespace tessera {

// Between steps. It reads the state and changes nothing.
class StateReducer {
public:
    // For GPUs it compiles, once for all runs. The model must outlive it.
    StateReducer(LoadedModel& model, jit::Compiler& compiler);

    // Each of `asked` is the model's setup, but with one reduction of one value and its kernels, all of places, and no others. What the
    // parts of each have come to in the state of that step.
    [[nodiscard]] std::vector<expression::Partials> reduce(const std::vector<const Setup*>& asked, std::uint64_t step);

private:
    // What a partition has for it. Memory grows as it is needed: of each reduction the step, the words of all parts, and the instructions.
    struct Part {
        std::unique_ptr<Program> program; // of a GPU
        const Kernel *kernel = nullptr, *plain = nullptr;
        Memory memory;
    };
    void launch(const Setup& asked, const KernelSetup& kernel, const ReduceCode& code, std::size_t partition, std::uint64_t* memory);

    LoadedModel& model_;
    std::vector<Part> parts_; // one a partition
};

} // namespace tessera
