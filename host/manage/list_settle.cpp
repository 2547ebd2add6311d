#include "host/manage/list_settle.hpp"

#include "kernels/agents/agent_id.hpp"

#include <algorithm>
#include <cstring>
#include <span>

namespace tessera {
namespace {

// The number of this manageAll, from 1, among all those since step 0 in which children may be born.
std::uint64_t cycle_of(const ListPlan& plan, std::uint64_t step, std::uint64_t phase) {
    std::uint64_t cycle = 1;
    for (const auto& births : plan.births) {
        const auto end = std::min(step, births.until);
        if (end > births.from) cycle += (end - 1 - births.from) / births.every + 1;
        const bool in_step = step >= births.from && step < births.until && (step - births.from) % births.every == 0;
        if (in_step && births.phase < phase) ++cycle;
    }
    return cycle;
}

// Moves together the elements of who stays. Few that stay between two who die are moved one by one.
template<std::size_t Bytes> void close_gaps(std::byte* column, std::span<const std::int32_t> dead, std::size_t population) {
    constexpr std::size_t few = 8;
    auto* to = column + static_cast<std::size_t>(dead.front()) * Bytes;
    for (std::size_t d = 0; d < dead.size(); ++d) {
        const auto* from = column + (static_cast<std::size_t>(dead[d]) + 1) * Bytes;
        const auto* const until = column + (d + 1 < dead.size() ? static_cast<std::size_t>(dead[d + 1]) : population) * Bytes;
        const auto bytes = static_cast<std::size_t>(until - from);
        if (bytes > few * Bytes) {
            std::memmove(to, from, bytes);
            to += bytes;
        } else
            for (; from != until; from += Bytes, to += Bytes) std::memmove(to, from, Bytes);
    }
}
void close_gaps(const ListLaunch& launch, const ListColumn& column, std::span<const std::int32_t> dead, std::int32_t population) {
    if (column.argument < 0) return;
    const auto all = static_cast<std::size_t>(population);
    for (int e = 0; e < column.elements; ++e) {
        auto* const values = launch.bytes(column) + std::int64_t{e} * column.stride * column.bytes;
        switch (column.bytes) {
        case 1: close_gaps<1>(values, dead, all); break;
        case 2: close_gaps<2>(values, dead, all); break;
        case 4: close_gaps<4>(values, dead, all); break;
        default: close_gaps<8>(values, dead, all); break;
        }
    }
}

void remove_dead(const ListLaunch& launch, std::span<const std::int32_t> dead) {
    if (dead.empty()) return;
    const auto& plan = launch.plan();
    auto& population = launch.population();
    for (const auto& member : plan.members) close_gaps(launch, member, dead, population);
    for (const auto* column : {&plan.code, &plan.id, &plan.place, &plan.refused}) close_gaps(launch, *column, dead, population);
    population -= static_cast<std::int32_t>(dead.size());
}

void copy_members(const ListLaunch& launch, const ListSource& source, std::int64_t request, std::int32_t to) {
    const auto& plan = launch.plan();
    for (std::size_t m = 0; m < plan.members.size(); ++m) {
        const auto &into = plan.members[m], &from = source.members[m];
        const auto bytes = static_cast<std::size_t>(into.bytes);
        const auto first = request_cell(plan, source, from, request);
        for (int e = 0; e < into.elements; ++e)
            std::memcpy(launch.bytes(into) + static_cast<std::size_t>(to + e * into.stride) * bytes,
                        launch.bytes(from) + static_cast<std::size_t>(first + e * from.stride) * bytes, bytes);
    }
}

void add_children(const ListLaunch& launch, const std::vector<ListChild>& children) {
    if (children.empty()) return;
    const auto& plan = launch.plan();
    const auto cycle = cycle_of(plan, launch.step(), launch.phase());
    auto& population = launch.population();
    auto* const ids = launch.column<std::uint64_t>(plan.id);
    auto* const place = launch.column<std::int32_t>(plan.place);
    for (const auto& child : children) {
        const auto& source = plan.sources[child.source];
        const auto to = population++;
        const auto* const parents = launch.column<const std::uint64_t>(source.parent);
        const auto parent = parents == nullptr ? 0 : parents[asked_by(source, child.request).parent];
        const auto rank = static_cast<std::uint64_t>(child.rank) + 1;
        if (cycle >> id_bits_of_cycle != 0) launch.report(births_too_often, parent);
        if (rank >> (id_bits_of_birth - plan.place_bits) != 0) launch.report(births_too_many, parent);
        copy_members(launch, source, child.request, to);
        ids[to] = agent_id(cycle, static_cast<std::uint64_t>(child.place), rank, plan.place_bits);
        place[to] = child.place;
        if (plan.code.bytes == 1)
            launch.column<std::uint8_t>(plan.code)[to] = 1;
        else
            launch.column<std::uint16_t>(plan.code)[to] = 1;
        if (auto* const told = launch.column<std::uint32_t>(plan.refused)) told[to] = 0;
    }
    launch.counters().born += children.size();
}

} // namespace

void index_list(const ListPlan& plan, const std::int32_t* place, std::int32_t* start, void* counts, std::int32_t* rank,
                std::int32_t* next) {
    const auto population = start[plan.places()];
    plan.with_type_of_counts([&](auto type) {
        auto* __restrict const count = static_cast<decltype(type)*>(counts);
        std::memset(count, 0, static_cast<std::size_t>(plan.places()) * sizeof(type));
        for (std::int32_t i = 0; i < population; ++i) rank[i] = count[place[i]]++;
    });
    if (!plan.chains) return;
    std::fill_n(start, plan.places(), -1);
    for (auto i = population - 1; i >= 0; --i) {
        next[i] = start[place[i]];
        start[place[i]] = i;
    }
}

// Whether all stand where they stood.
bool is_still(const ListScratch& scratch) { return scratch.movers.empty() && scratch.dying.empty() && scratch.children.empty(); }
// Whether only who went somewhere is gone over: few of agents that have places for themselves, whose ranks are all 0.
bool is_quiet(const ListLaunch& launch, const ListScratch& scratch) {
    return launch.plan().most_on_place == 1 && scratch.dying.empty() && scratch.children.empty() &&
           scratch.movers.size() < static_cast<std::size_t>(launch.population()) / 8;
}
void settle_movers(const ListLaunch& launch, const ListScratch& scratch) {
    const auto& plan = launch.plan();
    auto *const place = launch.column<std::int32_t>(plan.place), *const target = launch.column<std::int32_t>(plan.target);
    auto* const count = launch.column<std::uint8_t>(plan.count);
    auto* const start = launch.column<std::int32_t>(plan.start);
    for (const auto i : scratch.movers) {
        count[place[i]] = 0;
        if (plan.chains) start[place[i]] = -1;
    }
    for (const auto i : scratch.movers) {
        place[i] = target[i];
        count[place[i]] = 1;
        if (plan.chains) start[place[i]] = i;
    }
}

void settle_list(const ListLaunch& launch, ListScratch& scratch) {
    if (is_still(scratch)) return;
    if (is_quiet(launch, scratch)) return settle_movers(launch, scratch);
    const auto& plan = launch.plan();
    auto *const place = launch.column<std::int32_t>(plan.place), *const target = launch.column<std::int32_t>(plan.target);
    for (const auto i : scratch.movers) place[i] = target[i];
    remove_dead(launch, {scratch.dying.begin(), scratch.dying.end()});
    add_children(launch, scratch.children);
    scratch.dying.keep(0);
    scratch.children.clear();
    index_list(plan, place, launch.column<std::int32_t>(plan.start), launch.column<void>(plan.count),
               launch.column<std::int32_t>(plan.rank), launch.column<std::int32_t>(plan.next));
}

} // namespace tessera
