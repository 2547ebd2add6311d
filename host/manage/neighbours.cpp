#include "host/manage/neighbours.hpp"

#include <algorithm>

namespace tessera {

Neighbours::Neighbours(const ListPlan& plan)
    : plan_(plan), nx_(static_cast<std::int32_t>(plan.size[0])), ny_(static_cast<std::int32_t>(plan.size[1])), by_nx_(nx_), by_ny_(ny_) {
    const auto codes = codes_of(plan);
    for (const auto& o : plan.offsets) {
        const int along[] = {o.x, o.y, o.z};
        for (std::size_t axis = 0; axis < 3; ++axis) reach_[axis] = std::max({reach_[axis], along[axis], -along[axis]});
    }
    ways_.resize(static_cast<std::size_t>(codes.end(plan.offsets.size())));
    for (auto code = static_cast<std::size_t>(codes.first_going()); code < ways_.size(); ++code) {
        const auto& o = plan.offsets[(code - static_cast<std::size_t>(codes.first_going())) / static_cast<std::size_t>(codes.results)];
        ways_[code] = {o, o.x + nx_ * (o.y + ny_ * o.z)};
    }
    for (std::size_t axis = 0; axis < 3; ++axis)
        if (static_cast<int>(axis) < plan.dimensions) inner_[axis] = static_cast<std::int32_t>(plan.size[axis]) - 2 * reach_[axis];
}

} // namespace tessera
