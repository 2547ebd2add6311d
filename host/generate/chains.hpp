// Chains: kernels of a step that look no further than their place, which one kernel makes one after the other, a thread a place
// (kernels/agents/chained.hpp). For small worlds with agents in slots on a GPU, where a step takes as long as its kernels wait for each
// other.
#pragma once

#include "host/setup/setup.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

struct ChainPart {
    KernelId kernel;
    PhaseId phase;
    std::uint64_t step = 0; // 1: of the next step

    friend bool operator==(const ChainPart&, const ChainPart&) = default;
};
// Parts of one step, or of one and the next, in their order. Kernels that stand between them in the step need nothing of the parts before
// them, nor these of them, so that the chain may be made where its last part is.
struct Chain {
    CollectionId places; // of all parts
    std::vector<ChainPart> parts;
    std::size_t code = 0, first = 0; // in Chains::codes, and which of its kernels the first part is
};
struct Chains {
    std::vector<Chain> chains;
    // The kernels of each entry point, which can make some of them that stand beside each other: chains share one where they can.
    std::vector<std::vector<KernelId>> codes;

    [[nodiscard]] bool empty() const noexcept { return chains.empty(); }
};

// Those of a run on one GPU, as a rule finds them: none where `schedule.view` says how kernels go over places.
[[nodiscard]] Chains chains_of(const Setup& setup);

[[nodiscard]] std::string chain_symbol(std::size_t code);
// Each of Chains::codes as an entry point for a GPU, to stand behind those of the kernels and kernels/agents/chained.hpp.
[[nodiscard]] std::vector<std::string> chain_sources(const Setup& setup);

} // namespace tessera
