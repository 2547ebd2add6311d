// What distributing a run needs to know of its devices: plain numbers, which are asked of devices (host/devices/ask_machine.hpp), come from
// another process, or are assumed.
#pragma once

#include "host/setup/distribution.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct MachineDevice {
    std::string name; // "cpu", "cuda:0"; two devices may have one
    bool is_gpu = false;
    std::uint64_t free_memory = 0; // bytes
    Owner owner;                   // of the partition that it makes
};

// Of one device, the first, and another.
struct MachinePair {
    bool share_memory = true;
    std::string why_not{}; // a whole message, of devices that do not; empty where nobody knows
    bool is_atomic = true; // whether atomic operations of the first on memory of the other are atomic for that one as well
};

// What it takes two devices to exchange rows, and what they have to make twice where they exchange them seldom.
struct ExchangeCosts {
    double seconds = 0;        // from rows being ready on the first device to their being ready on the second
    double bytes_a_second = 0; // read and written, of the first device's memory
};

struct Machine {
    std::vector<MachineDevice> devices; // one a partition
    std::vector<MachinePair> pairs;     // of each device and each other, and itself, in the order of the first
    std::optional<ExchangeCosts> exchange{};
    bool is_assumed = false; // no device was asked, and nothing is refused because of what devices can

    [[nodiscard]] const MachinePair& pair(std::size_t first, std::size_t other) const { return pairs[first * devices.size() + other]; }
    [[nodiscard]] MachinePair& pair(std::size_t first, std::size_t other) { return pairs[first * devices.size() + other]; }
};

// Devices of one process, in the order of their names, of which nothing else is known: all share memory, but for CPUs and GPUs.
[[nodiscard]] Machine assumed_machine(const std::vector<std::string>& names);
// The same where all share memory, whatever they are.
[[nodiscard]] Machine sharing_machine(const std::vector<std::string>& names);

} // namespace tessera
