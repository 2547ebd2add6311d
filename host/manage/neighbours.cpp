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

NeighboursOf::NeighboursOf(const ListPlan& plan)
    : dimensions_(plan.dimensions), size_(sizes_of(plan)), is_round_(round_axes_of(plan)), by_nx_(size_[0]), by_ny_(size_[1]) {
    for (const auto& o : plan.offsets) {
        const int along[] = {o.x, o.y, o.z};
        for (std::size_t axis = 0; axis < 3; ++axis) reach_[axis] = std::max({reach_[axis], along[axis], -along[axis]});
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (static_cast<int>(axis) < dimensions_) inner_[axis] = size_[axis] - 2 * reach_[axis];
}

Neighbours::Neighbours(const ListPlan& plan) : of_(plan) {
    const auto codes = codes_of(plan);
    ways_.resize(static_cast<std::size_t>(codes.end(plan.offsets.size())));
    for (auto code = static_cast<std::size_t>(codes.first_going()); code < ways_.size(); ++code) {
        const auto& o = plan.offsets[(code - static_cast<std::size_t>(codes.first_going())) / static_cast<std::size_t>(codes.results)];
        ways_[code] = {o, o.x + of_.size_[0] * (o.y + of_.size_[1] * o.z)};
    }
    of_.ways_ = ways_.data();
}

} // namespace tessera
