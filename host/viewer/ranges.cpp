#include "host/viewer/ranges.hpp"

#include "host/setup/names.hpp"

#include <algorithm>

namespace tessera::viewer {

void Ranges::set(const std::string& key, std::optional<Range> range) { ranges_[key] = range ? Ends{*range, true, true} : Ends{}; }

void Ranges::look_again() {
    for (auto& [key, ends] : ranges_) ends.step = UINT64_MAX, ends.found_at = {};
}

Ranges::Found Ranges::of(CurrentRun& run, const Layer& layer, int element) {
    auto& ends = ranges_[range_key(layer.name(), element)];
    if (ends.is_given) return {ends.range, true};
    if (layer.low && layer.high) return {{*layer.low, *layer.high}, true};
    const auto now = Clock::now();
    if (!ends.is_known || (ends.step != run.step() && now - ends.found_at >= std::chrono::milliseconds(500))) {
        const auto column = require_column(run.setup(), {{layer.places, layer.member}, {}});
        if (const auto found = run.run().simulation().frames(run.session().compiler()).ends(column, element)) {
            ends.range = ends.is_known ? Range{std::min(ends.range.low, found->low), std::max(ends.range.high, found->high)}
                                       : Range{found->low, found->high};
            ends.is_known = true;
        }
        ends.step = run.step(), ends.found_at = now;
    }
    return {{layer.low.value_or(ends.range.low), layer.high.value_or(ends.range.high)}, false};
}

std::string range_key(const std::string& layer, int element) { return element == 0 ? layer : layer + "[" + std::to_string(element) + "]"; }

} // namespace tessera::viewer
