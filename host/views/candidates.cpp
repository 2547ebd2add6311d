#include "host/views/candidates.hpp"

#include "host/views/estimates.hpp"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

namespace tessera {
namespace {

using Ranked = std::vector<std::pair<double, FusedView>>; // by seconds a step

int& depth_of(FusedView& view) { return view.depth; }
int& length_of(FusedView& view) { return view.piece.length; }
int& width_of(FusedView& view) { return view.piece.width; }

void append(std::vector<FusedView>& views, const std::vector<FusedView>& more) { views.insert(views.end(), more.begin(), more.end()); }

template<class Rule> void drop(std::vector<FusedView>& views, const Rule& rule) {
    views.erase(std::remove_if(views.begin(), views.end(), rule), views.end());
}

void sort_by_seconds(Ranked& ranked) {
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
}

// Whether they differ in their length alone, if in anything.
bool alike(const FusedView& a, const FusedView& b) {
    return a.of == b.of && a.depth == b.depth && a.piece.width == b.piece.width && a.piece.height == b.piece.height;
}

// Few that are alike, and some of each class that is not far behind: the estimate may be wrong in the same way for all alike.
std::vector<FusedView> unlike(const Ranked& ranked, std::size_t most) {
    constexpr double not_far = 1.6;
    constexpr std::size_t of_each_class = 2;
    std::vector<FusedView> views;
    const auto is_new = [&](const FusedView& view) {
        const auto same = std::count_if(views.begin(), views.end(), [&](const FusedView& other) { return alike(view, other); });
        return static_cast<std::size_t>(same) < 1 + most / 12;
    };
    for (const auto* each : fused_views()) {
        std::size_t taken = 0;
        for (const auto& [time, view] : ranked)
            if (view.of == each && taken < of_each_class && views.size() < most && time < not_far * ranked.front().first && is_new(view))
                views.push_back(view), ++taken;
    }
    for (const auto& [time, view] : ranked)
        if (views.size() < most && std::find(views.begin(), views.end(), view) == views.end() && is_new(view)) views.push_back(view);
    const auto place = [&](const FusedView& view) {
        return std::find_if(ranked.begin(), ranked.end(), [&](const auto& one) { return one.second == view; });
    };
    std::sort(views.begin(), views.end(), [&](const FusedView& a, const FusedView& b) { return place(a) < place(b); });
    return views;
}

} // namespace

std::vector<FusedView> possible_views(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, int bits) {
    const bool on_cpu = device.kind == DeviceKind::cpu;
    std::vector<FusedView> views;
    for (const auto* each : fused_views())
        if (each->is_for_cpu() == on_cpu) append(views, each->pieces(setup.collections[sequence.collection], device, bits));
    drop(views, [&](const FusedView& view) { return !obstacle(setup, sequence, view).empty(); });
    // Bits that are in memory too are better than those in registers alone.
    if (std::any_of(views.begin(), views.end(), [](const FusedView& view) { return view.words; }))
        drop(views, [](const FusedView& view) { return !view.words; });
    return views;
}

std::vector<FusedView> neighbours_of(const FusedView& view, const std::vector<FusedView>& possible) {
    std::vector<FusedView> neighbours;
    for (int& (*number)(FusedView&) : {length_of, depth_of, width_of}) {
        FusedView here = view;
        std::optional<FusedView> below, above;
        for (FusedView other : possible) {
            FusedView moved = other;
            number(moved) = number(here);
            if (moved != view) continue;
            if (number(other) < number(here) && (!below || number(other) > number(*below))) below = other;
            if (number(other) > number(here) && (!above || number(other) < number(*above))) above = other;
        }
        for (const auto& one : {below, above})
            if (one) neighbours.push_back(*one);
    }
    return neighbours;
}

bool hopeless(double predicted_seconds, double step_seconds) { return predicted_seconds > 1.5 * step_seconds; }

void Lateness::add(const FusedView& view, double predicted, double measured) {
    if (!std::isfinite(predicted)) return;
    const auto [of_class, is_first] = least_.insert({view.of, measured / predicted});
    if (!is_first) of_class->second = std::min(of_class->second, measured / predicted);
}

double Lateness::corrected(const FusedView& view, double predicted) const {
    const auto of_class = least_.find(view.of);
    return of_class == least_.end() ? predicted : std::max(of_class->second, 1.0) * predicted;
}

double predicted_seconds(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                         const FusedView& view) {
    if (!obstacle(setup, sequence, view).empty()) return never;
    return view.of->seconds(setup, sequence, device, costs_of(setup, sequence, device, step_seconds), view);
}

std::vector<FusedView> ranked_neighbours(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                                         const FusedView& view, std::size_t most) {
    Ranked ranked;
    for (const auto& other : neighbours_of(view, possible_views(setup, sequence, device, view.bits)))
        ranked.push_back({predicted_seconds(setup, sequence, device, step_seconds, other), other});
    sort_by_seconds(ranked);
    std::vector<FusedView> views;
    for (const auto& [time, other] : ranked)
        if (views.size() < most && (std::isfinite(time) || !other.of->has_estimate())) views.push_back(other);
    return views;
}

std::vector<FusedView> ranked_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device, double step_seconds,
                                         int bits, std::size_t most) {
    const auto& collection = setup.collections[sequence.collection];
    Ranked ranked;
    for (const auto& view : possible_views(setup, sequence, device, bits)) {
        if (!view.of->has_estimate())
            ranked.push_back({static_cast<double>(ranked.size()), view});
        else if (view.of->is_last_resort(collection) && !ranked.empty() && ranked.front().second.of != view.of)
            continue;
        else if (const double time = predicted_seconds(setup, sequence, device, step_seconds, view); std::isfinite(time))
            ranked.push_back({time, view});
    }
    sort_by_seconds(ranked);
    return unlike(ranked, most);
}

std::vector<FusedView> packed_and_plain_candidates(const Setup& setup, const CallSequence& sequence, const DeviceInfo& device,
                                                   double step_seconds, int bits, std::size_t most) {
    std::vector<FusedView> views;
    if (bits > 0) views = ranked_candidates(setup, sequence, device, step_seconds, bits, most / 2);
    drop(views,
         [&](const FusedView& view) { return hopeless(predicted_seconds(setup, sequence, device, step_seconds, view), step_seconds); });
    append(views, ranked_candidates(setup, sequence, device, step_seconds, 0, most));
    return views;
}

} // namespace tessera
