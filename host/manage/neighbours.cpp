#include "host/manage/neighbours.hpp"

#include <algorithm>

namespace tessera {
namespace {

std::array<std::int32_t, 3> sizes_of(const ListPlan& plan) {
    std::array<std::int32_t, 3> sizes{};
    std::transform(plan.size.begin(), plan.size.end(), sizes.begin(), [](std::int64_t n) { return static_cast<std::int32_t>(n); });
    return sizes;
}
std::array<bool, 3> round_axes_of(const ListPlan& plan) {
    std::array<bool, 3> round{};
    std::transform(plan.rule.begin(), plan.rule.end(), round.begin(), [](boundary rule) { return rule == boundary::torus; });
    return round;
}

} // namespace

Neighbours::Neighbours(const ListPlan& plan)
    : dimensions_(plan.dimensions), size_(sizes_of(plan)), is_round_(round_axes_of(plan)), by_nx_(size_[0]), by_ny_(size_[1]) {
    for (const auto& o : plan.offsets) {
        const int along[] = {o.x, o.y, o.z};
        for (std::size_t axis = 0; axis < 3; ++axis) reach_[axis] = std::max({reach_[axis], along[axis], -along[axis]});
    }
    // A direction that the grid has not got has one coordinate, and offsets that count for nothing.
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (static_cast<int>(axis) < dimensions_)
            inner_[axis] = std::max(0, size_[axis] - 2 * reach_[axis]);
        else
            reach_[axis] = 0, inner_[axis] = 1;
    const auto codes = codes_of(plan);
    const auto first = static_cast<std::size_t>(codes.first_going());
    offsets_.resize(static_cast<std::size_t>(codes.end(plan.offsets.size())));
    distances_.resize(offsets_.size());
    for (auto code = first; code < offsets_.size(); ++code) {
        const auto& o = offsets_[code] = plan.offsets[(code - first) / static_cast<std::size_t>(codes.results)];
        distances_[code] = o.x + size_[0] * (o.y + size_[1] * o.z);
    }
}

std::int32_t Neighbours::beyond_inner(std::int32_t x, std::int32_t y, std::int32_t z, std::size_t code) const noexcept {
    const auto& by = offsets_[code];
    const auto tx = along(0, x, by.x), ty = along(1, y, by.y), tz = along(2, z, by.z);
    return tx < 0 || ty < 0 || tz < 0 ? -1 : (tz * size_[1] + ty) * size_[0] + tx;
}

std::int32_t Neighbours::along(std::size_t axis, std::int32_t i, int by) const noexcept {
    if (static_cast<int>(axis) >= dimensions_) return i;
    const auto n = size_[axis], to = i + by;
    if (to >= 0 && to < n) return to;
    if (is_round_[axis] && to >= -n && to < 2 * std::int64_t{n}) return to < 0 ? to + n : to - n; // as most are
    return is_round_[axis] ? static_cast<std::int32_t>(source_of(to, n, boundary::torus)) : -1;
}

} // namespace tessera
