// A launch of a part of manageAll over a list: its columns, and what it is told and tells.
#pragma once

#include "host/manage/list_plan.hpp"
#include "kernels/launch/arguments.hpp"

#include <cstddef>
#include <cstdint>

namespace tessera {

class ListLaunch {
public:
    // `arguments` are those of a kernel of agents with as many columns as the plan says. Both must outlive it.
    ListLaunch(const ListPlan& plan, const void* arguments);

    [[nodiscard]] const ListPlan& plan() const noexcept { return plan_; }
    [[nodiscard]] std::uint64_t step() const noexcept { return step_; }
    [[nodiscard]] std::uint64_t phase() const noexcept { return agents_->phase; }
    [[nodiscard]] agent_counters& counters() const noexcept { return *agents_->counters; }

    template<class T> [[nodiscard]] T* column(const ListColumn& column) const noexcept {
        return column.argument < 0 ? nullptr : static_cast<T*>(out_[column.argument]);
    }
    [[nodiscard]] std::byte* bytes(const ListColumn& of) const noexcept { return column<std::byte>(of); }

    // How many agents there are: what stands behind the last place.
    [[nodiscard]] std::int32_t& population() const noexcept { return column<std::int32_t>(plan_.start)[plan_.places()]; }

    // Whether nothing is to be done any more, for an earlier launch has found a fault, or this phase no room.
    [[nodiscard]] bool is_over() const noexcept;
    // The least id of each fault is kept.
    void report(agent_fault fault, std::uint64_t id) const noexcept { report(fault, id, phase()); }
    // Of what an earlier phase of the step asked for.
    void report(agent_fault fault, std::uint64_t id, std::uint64_t phase) const noexcept;

    // The one with the least is the first to be served.
    [[nodiscard]] std::uint64_t priority(std::uint64_t id) const noexcept;

private:
    const ListPlan& plan_;
    void* const* out_;
    std::uint64_t step_, key_;
    const agent_pointers* agents_;
};

// Whose request this is, by the number in the list, or of the place; and the index of the call that asked for it.
struct ListAsked {
    std::int64_t parent, call;
};
[[nodiscard]] inline ListAsked asked_by(const ListSource& source, std::int64_t request) noexcept {
    if (request < source.parents) return {request, 0}; // as most are: a division takes as long as all else
    return {request % source.parents, request / source.parents};
}

// The same of places, which stand in rows.
[[nodiscard]] std::int64_t request_cell_of_place(const ListPlan& plan, const ListColumn& column, const ListAsked& asked) noexcept;

// Where the first value of a request stands in a column of its source.
[[nodiscard]] inline std::int64_t request_cell(const ListPlan& plan, const ListSource& source, const ListColumn& column,
                                               const ListAsked& asked) noexcept {
    if (source.of_places) return request_cell_of_place(plan, column, asked);
    return asked.parent + asked.call * column.elements * column.stride;
}

} // namespace tessera
