// One device's part in a run: its queue, its kernels and its count of the steps.
#pragma once

#include "device_runtime/device.hpp"
#include "host/execute/kernel_image.hpp"
#include "host/generate/chains.hpp"
#include "host/generate/kernel_source.hpp"
#include "host/generate/reduce_code.hpp"
#include "host/manage/changing_links.hpp"
#include "host/manage/ordered_list.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

namespace tessera {

// A loaded image's entry points and the views that they go by, in the order of Setup::kernels.
struct Kernels {
    std::vector<const Kernel*> calls;
    std::vector<ViewChoice> views;
    const Kernel* advance = nullptr;
    std::vector<const Kernel*> joins;    // in the order of Setup::reductions
    std::vector<const Kernel*> uniforms; // in the order of Description::uniforms
    Chains chains;                       // of a GPU that makes the run alone
    std::vector<const Kernel*> chained;  // in the order of Chains::codes
};

// The reduces of a run as data, for code that is for any.
struct RuntimeReduces {
    ReduceCode code;
    Memory memory; // where they stand on the device
    std::unique_ptr<Program> program;
};

struct Partition {
    Device* device = nullptr; // must outlive it
    std::unique_ptr<Queue> queue;
    KernelImages code;
    std::vector<std::unique_ptr<Program>> programs; // one, and one of edited kernels; of code for any run one for each collection
    std::optional<RuntimeReduces> reduces;
    Kernels kernels;
    std::vector<std::unique_ptr<OrderedList>> lists;   // of each collection: of agents in a list in the order of ids
    std::vector<std::unique_ptr<ChangingLinks>> links; // likewise, of links that are born or die
    Memory step;                   // words that kernels read: the number of the step, and what reduces make (step_words.hpp)
    Memory shared;                 // of the first of several: the words of all, on the host
    const void* mistake = nullptr; // of a checked image for a GPU: where its kernels write down what they find (shared_mistake)
    Memory agent_records;          // what agents tell of themselves (agent_records.hpp); empty where there are none

    [[nodiscard]] std::uint64_t* step_counter() const { return static_cast<std::uint64_t*>(step.address()); }
    void set_step(std::uint64_t to) const { queue->write(step.address(), &to, sizeof(to)); }
};

using Partitions = std::vector<Partition>;

} // namespace tessera
