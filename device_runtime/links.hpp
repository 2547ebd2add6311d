// What lies between two devices: whether they share memory, and how long copies take, measured. Each call takes its own memory and queues
// of the devices, and throws what these throw.
#pragma once

#include "device_runtime/device.hpp"

#include <cstddef>

namespace tessera {

// Puts a page of each into a range that both share, and gives it back. Throws Failure::device where one does not reach the other's memory
// or, though it is said to, cannot have it in its range.
void require_shared_memory(Device& a, Device& b);
[[nodiscard]] bool share_memory(Device& a, Device& b); // whether that works

// How rows go from one device to another: from memory to memory, which both have to share; or by way of page-locked memory of the host.
enum class Way { direct, by_host };

// Seconds from 4 KiB being ready on one device to their copy being ready on the other, as marks tell it; the median of some rounds of
// turns.
[[nodiscard]] double seconds_of_news(Device& a, Device& b, Way way);
// Bytes a second of a large copy from one to the other; the median of some.
[[nodiscard]] double bytes_a_second(Device& from, Device& to, Way way);
// Bytes a second, read and written, of a copy of so many bytes within a device's memory, by all threads of a CPU; the median of some.
[[nodiscard]] double memory_bytes_a_second(Device& device, std::size_t bytes);

} // namespace tessera
