// Ways of making several steps at a time that are worth a try, the most promising first.
#pragma once

#include "device_runtime/device.hpp"
#include "host/schedule/fusion.hpp"

#include <cstddef>
#include <vector>

namespace tessera {

// Ranked by an estimate (estimates.hpp). `step_seconds` is what a step takes one at a time: it stands for the memory's speed. `bits` as in
// FusedView; then only views of bits are given. At most `most`; none where nothing can be expected to gain.
[[nodiscard]] std::vector<FusedView> ranked_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device,
                                                       double step_seconds, int bits, std::size_t most);

// How many are tried: `schedule.tune`; and how many beside the best of them.
inline constexpr std::size_t quick_candidates = 6, full_candidates = 24, neighbours_tried = 4;

// Those of bits, if `bits` is not 0, before those of a place by itself; at most half of `most`, and `most`.
[[nodiscard]] std::vector<FusedView> packed_and_plain_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device,
                                                                 double step_seconds, int bits, std::size_t most);

// All that may be among them, in no order: those that can be carried out.
[[nodiscard]] std::vector<FusedView> possible_views(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, int bits);

// Those of them that differ from a view in the number of steps, of rows or of places a lane alone, and by one step up or down the list of
// these.
[[nodiscard]] std::vector<FusedView> neighbours_of(const FusedView& view, const std::vector<FusedView>& possible);

// The `most` of all neighbours that the estimate likes best.
[[nodiscard]] std::vector<FusedView> ranked_neighbours(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device,
                                                       double step_seconds, const FusedView& view, std::size_t most);

// What a step by this view takes by the estimate, in seconds, where one at a time takes `step_seconds`; infinite on a CPU, for which there
// is none.
[[nodiscard]] double predicted_seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                                       const FusedView& view);

// Whether words of bits are not even tried: on a small grid they are slower by far than single steps, and the estimate knows it.
[[nodiscard]] bool hopeless(double predicted_seconds, double step_seconds);

// The numbers of steps that they make at a time, ascending.
[[nodiscard]] const std::vector<int>& depths_tried(bool cuda);

} // namespace tessera
