#include "host/bench/scaling.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera::bench {
namespace {

std::string name_of(const Scaling& each) {
    return fmt::format("{}, {}, {}", each.weak ? "weak" : "strong", to_string(each.size), each.fused ? "fused" : "one at a time");
}

// The fastest row of a kind, size and number of devices; null if none was measured.
const Row* fastest(const Report& report, const Size& size, int devices, bool fused) {
    const Row* best = nullptr;
    for (const auto& row : report.rows) {
        if (!row.step_seconds || row.by_hand() || row.state == "differs" || row.single() == fused) continue;
        if (row.size != size || row.devices != devices) continue;
        if (best == nullptr || row.step_seconds->median < best->step_seconds->median) best = &row;
    }
    return best;
}

// Without repetition, in the order of the rows.
std::vector<Size> sizes_of_one(const Report& report) {
    std::vector<Size> sizes;
    for (const auto& row : report.rows)
        if (row.devices == 1 && std::find(sizes.begin(), sizes.end(), row.size) == sizes.end()) sizes.push_back(row.size);
    return sizes;
}

} // namespace

Size weak_size(Size size, int devices) {
    size.back() *= devices;
    return size;
}

std::vector<Scaling> scaling_of(const Report& report) {
    std::vector<Scaling> all;
    for (const bool weak : {false, true})
        for (const bool fused : {false, true})
            for (const auto& size : sizes_of_one(report)) {
                const auto* one = fastest(report, size, 1, fused);
                for (int devices = 2; one != nullptr && devices <= static_cast<int>(report.devices.size()); ++devices) {
                    const auto* several = fastest(report, weak ? weak_size(size, devices) : size, devices, fused);
                    if (several == nullptr) continue;
                    all.push_back({weak, fused, size, devices, several->step_seconds->median, one->step_seconds->median,
                                   several->places_a_second() / one->places_a_second()});
                }
            }
    return all;
}

std::string scaling_table(const std::vector<Scaling>& scaling) {
    if (scaling.empty()) return {};
    std::size_t width = 0;
    for (const auto& each : scaling) width = std::max(width, name_of(each).size());
    auto text = fmt::format("{:<{}}  devices  us a step  on one  gain  of ideal\n", "scaling", width);
    for (const auto& each : scaling)
        text += fmt::format("{:<{}}  {:>7}  {:>9.2f}  {:>6.2f}  {:>4.2f}  {:>6.0f} %\n", name_of(each), width, each.devices,
                            each.seconds * 1e6, each.one_seconds * 1e6, each.gain, 100 * each.efficiency());
    return text + "\nstrong: the same grid. weak: as many times as long along its last axis as there are devices. gain: of places a "
                  "second, by the\n"
                  "fastest view of its kind on each\n";
}

std::optional<Plot> scaling_plot(const Report& report, const std::vector<Scaling>& scaling) {
    if (scaling.empty()) return {};
    Plot plot;
    plot.title = fmt::format("{} on 1 to {} devices ({})", report.model, report.devices.size(), report.device().description);
    plot.x_label = "devices";
    plot.y_label = "places a second, beside one device";
    Plot::Series ideal{"ideal", {}};
    for (std::size_t devices = 1; devices <= report.devices.size(); ++devices) {
        plot.x_ticks.push_back({static_cast<double>(devices), fmt::format("{}", devices)});
        ideal.points.emplace_back(devices, devices);
    }
    for (const auto& each : scaling) {
        const auto name = name_of(each);
        if (plot.series.empty() || plot.series.back().name != name) plot.series.push_back({name, {{1.0, 1.0}}});
        plot.series.back().points.emplace_back(each.devices, each.gain);
    }
    plot.series.push_back(std::move(ideal));
    return plot;
}

} // namespace tessera::bench
