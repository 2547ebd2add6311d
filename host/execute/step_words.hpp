// What stands on each partition beside the number of the step: what reduces add up and make (kernels/launch/arguments.hpp).
#pragma once

#include "host/execute/partition.hpp"
#include "host/schedule/task.hpp"
#include "host/setup/setup.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>

namespace tessera {

// Memory for it, all 0. Throws Failure::memory.
void make_step_words(Partitions& partitions, const Setup& setup);

// Where the words of a reduction begin, of all partitions.
[[nodiscard]] std::uint64_t* words_of(const Partition& partition, const Setup& setup, ReductionId reduction);

// Between a partition and what all share on the host.
[[nodiscard]] Copy copy_of_words(const Partitions& partitions, const Setup& setup, const ShareWork& work, std::size_t partition);

// A value that a reduce could not make: the first. Waits for what is queued.
struct ReduceFault {
    PhaseId phase;
    std::uint64_t step = 0;
    std::size_t value = 0;  // in ReductionSetup::values
    std::uint32_t what = 0; // bits of kernels/reduce/reduction.hpp
    std::int64_t whole = 0; // what it would be, of one that is out of its type's range
};
[[nodiscard]] std::optional<ReduceFault> find_reduce_fault(const Partitions& partitions, const Setup& setup);
// Throws Failure::model.
[[noreturn]] void tell_fault(const Setup& setup, const ReduceFault& fault);

// What was sent along links later than there is room for, or earlier than now: the first. Waits for what is queued.
struct SendFault {
    KernelId kernel; // that sent it
    std::uint64_t step = 0;
    std::int64_t place = 0, later = 0;
};
[[nodiscard]] std::optional<SendFault> find_send_fault(const Partitions& partitions, const Setup& setup);
// Throws Failure::model.
[[noreturn]] void tell_fault(const Setup& setup, const SendFault& fault);

} // namespace tessera
