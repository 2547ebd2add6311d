// What the devices answer to an `until`: they put it into memory of the host, so that a run asks again and again without copies.
#pragma once

#include "host/execute/partition.hpp"

#include <optional>

namespace tessera {

class Answers {
public:
    // The devices know from now on where answers go. The partitions must outlive it. Throws Failure::memory.
    explicit Answers(const Partitions& partitions);

    // Those that came and that nobody asked for are forgotten. Nothing may be queued.
    void forget();
    // Whether the question that was queued last holds. Waits until it is answered; all partitions say the same. Throws the fault behind
    // which it would have been.
    [[nodiscard]] bool take();
    // The same of several that were queued together, of which the last one alone tells a no: the one that holds, by its phase.
    [[nodiscard]] std::optional<PhaseId> take_yes();
    // The same of those before a mark that was waited for, none of which tells a no: its number, from 1.
    [[nodiscard]] std::optional<std::uint64_t> take_number();

private:
    [[nodiscard]] std::uint64_t take_word();
    [[nodiscard]] std::uint64_t wait_for_first() const;

    const Partitions& partitions_;
    std::vector<Memory> of_partition_; // a word each
};

} // namespace tessera
