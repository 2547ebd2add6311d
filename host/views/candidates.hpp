// Ways of making several steps at a time that are worth a try, the most promising first.
#pragma once

#include "device_runtime/device.hpp"
#include "host/views/estimates.hpp"
#include "host/views/fused_view.hpp"

#include <cstddef>
#include <map>
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

// Those of them that differ from a view in the number of steps, or in the length or width of its piece alone, and by one step up or down
// the list of these.
[[nodiscard]] std::vector<FusedView> neighbours_of(const FusedView& view, const std::vector<FusedView>& possible);

// The `most` of all neighbours that the estimate likes best.
[[nodiscard]] std::vector<FusedView> ranked_neighbours(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device,
                                                       double step_seconds, const FusedView& view, std::size_t most);

// What a step by this view takes by the estimate, in seconds, where one at a time takes `step_seconds`; infinite on a CPU, for which there
// is none, and for what cannot be faster.
[[nodiscard]] double predicted_seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                                       const FusedView& view);

// How far behind their estimates the candidates of a class came: what the estimate does not know of a function, others of it have as well.
class Lateness {
public:
    void add(const FusedView& view, double predicted, double measured);
    // What a view is estimated to take, in that light: by the one of its class that came least behind.
    [[nodiscard]] double corrected(const FusedView& view, double predicted) const;

private:
    std::map<const FusedViewClass*, double> least_; // measured / predicted
};

// Whether a view is slower by far than single steps, so that it is not even tried: as words of bits on a small grid are.
[[nodiscard]] bool hopeless(double predicted_seconds, double step_seconds);

} // namespace tessera
