// What the computer offers this process: CPUs and memory, within the limits that the system or a container sets.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace tessera {

// The CPUs that this process may run on, ascending; at least one.
[[nodiscard]] std::vector<int> allowed_cpus();

// Threads that can run at once: the allowed CPUs, or fewer where a control group limits the CPU time.
[[nodiscard]] int usable_threads();

// Of `usable` threads, those that gain anything in launches that serve up to `places` places: each further one has to be told of a launch
// and waited for, about a microsecond that the places given to it must outweigh, and many more where it shares its CPU with other programs.
[[nodiscard]] int threads_that_pay(std::int64_t places, int usable);

// "AMD EPYC 9654 96-Core Processor"; "CPU" where the system does not say.
[[nodiscard]] std::string cpu_model();

// Bytes; within the control group's limit.
[[nodiscard]] std::uint64_t memory_total();
[[nodiscard]] std::uint64_t memory_available();
// How many memories there are that are near some processors and far from others (NUMA nodes).
[[nodiscard]] int memory_nodes();

// The most bytes of memory that this process has had at once.
[[nodiscard]] std::uint64_t memory_peak();

// "139.8 GiB", "512 MiB", "96 bytes".
[[nodiscard]] std::string readable_bytes(std::uint64_t bytes);

} // namespace tessera
