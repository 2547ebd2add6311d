// Ways of making several steps at a time that are worth a try, the most promising first.
#pragma once

#include "device_runtime/device.hpp"
#include "host/schedule/fusion.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// Ranked by an estimate from what memory moves, what is issued, what registers hold, and how full the device is (algorithms of overlapped temporal
// tiles: Meng and Skadron, 2009). `step_seconds` is what a step takes one at a time: it stands for the memory's speed. `bits` as in FusedView; then
// only views of bits are given. At most `most`; none where nothing can be expected to gain.
[[nodiscard]] std::vector<FusedView> ranked_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                                                       int bits, std::size_t most);

// All that may be among them, in no order: those that can be carried out.
[[nodiscard]] std::vector<FusedView> possible_views(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, int bits);

// The numbers of steps that they make at a time, ascending.
[[nodiscard]] const std::vector<int>& depths_tried(bool cuda);

} // namespace tessera
