#include "host/manage/list_launch.hpp"

#include <tessera/random.hpp>

#include <algorithm>
#include <cstring>

namespace tessera {

ListLaunch::ListLaunch(const ListPlan& plan, const void* arguments) : plan_(plan) {
    const auto* const bytes = static_cast<const std::byte*>(arguments);
    const auto* const launch = static_cast<const launch_arguments*>(arguments);
    const auto at = offsets_of_arguments(static_cast<std::size_t>(plan.columns), 1);
    out_ = reinterpret_cast<void* const*>(bytes + at.out);
    std::memcpy(&key_, bytes + at.random_key, sizeof(key_));
    agents_ = reinterpret_cast<const agent_pointers*>(bytes + at.end);
    step_ = *launch->first_step + launch->step_after_first;
}

bool ListLaunch::is_over() const noexcept {
    const auto& faults = *agents_->faults;
    return (faults.launch != 0 && faults.launch != launch_number(step_, phase())) || faults.ids[outgrows_room] != ~std::uint64_t{0};
}

void ListLaunch::report(agent_fault fault, std::uint64_t id, std::uint64_t phase) const noexcept {
    auto& faults = *agents_->faults;
    faults.launch = launch_number(step_, phase);
    faults.ids[fault] = std::min(faults.ids[fault], id);
}

std::uint64_t ListLaunch::priority(std::uint64_t id) const noexcept { return plan_.random_priority ? mix64(id ^ mix64(key_ + step_)) : id; }

std::int64_t request_cell_of_place(const ListPlan& plan, const ListColumn& column, const ListAsked& asked) noexcept {
    const auto line = asked.parent / plan.size[0], x = asked.parent % plan.size[0];
    const auto y = plan.dimensions == 3 ? line % plan.size[1] : line, z = plan.dimensions == 3 ? line / plan.size[1] : 0;
    return x + y * column.row + z * column.plane + asked.call * column.elements * column.stride;
}

} // namespace tessera
