#include "host/manage/list_settle.hpp"

#include "host/manage/in_pieces.hpp"
#include "host/manage/list_codes.hpp"
#include "kernels/agents/agent_id.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>
#include <iterator>
#include <span>
#include <utility>
#include <vector>

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

// Moves together the elements of who stays: `staying` are those behind the first who dies, in order.
template<std::size_t Bytes> void keep_staying(std::byte* column, std::int32_t first, std::span<const std::int32_t> staying) {
    auto* to = column + static_cast<std::size_t>(first) * Bytes;
    for (const auto i : staying) {
        std::memcpy(to, column + static_cast<std::size_t>(i) * Bytes, Bytes);
        to += Bytes;
    }
}
// The same, where few die: all at once that stand between two of them.
void close_gaps(std::byte* column, std::size_t bytes, std::span<const std::int32_t> dead, std::size_t population) {
    auto* to = column + static_cast<std::size_t>(dead.front()) * bytes;
    for (std::size_t d = 0; d < dead.size(); ++d) {
        const auto from = static_cast<std::size_t>(dead[d]) + 1;
        const auto until = d + 1 < dead.size() ? static_cast<std::size_t>(dead[d + 1]) : population;
        std::memmove(to, column + from * bytes, (until - from) * bytes);
        to += (until - from) * bytes;
    }
}

class Removal {
public:
    Removal(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team)
        : launch_(launch), dead_(scratch.dying.begin(), scratch.dying.end()), population_(launch.population()) {
        constexpr int few = 32; // of so many agents one that dies
        const auto behind = population_ - dead_.front();
        if (std::ssize(dead_) * few < behind) return;
        auto* const staying = scratch.staying.room_for(static_cast<std::size_t>(behind));
        in_pieces(team, behind, [&](std::int64_t begin, std::int64_t end) {
            const auto from = dead_.front() + static_cast<std::int32_t>(begin), until = dead_.front() + static_cast<std::int32_t>(end);
            if (launch.plan().code.bytes == 1)
                find_staying<std::uint8_t>(staying, from, until);
            else
                find_staying<std::uint16_t>(staying, from, until);
        });
        staying_ = {staying, static_cast<std::size_t>(behind) - dead_.size()};
    }

    void move_together(const ListColumn& column) const {
        if (column.argument < 0) return;
        for (int e = 0; e < column.elements; ++e) {
            auto* const values = launch_.bytes(column) + std::int64_t{e} * column.stride * column.bytes;
            if (staying_.empty())
                close_gaps(values, static_cast<std::size_t>(column.bytes), dead_, static_cast<std::size_t>(population_));
            else
                switch (column.bytes) {
                case 1: keep_staying<1>(values, dead_.front(), staying_); break;
                case 2: keep_staying<2>(values, dead_.front(), staying_); break;
                case 4: keep_staying<4>(values, dead_.front(), staying_); break;
                default: keep_staying<8>(values, dead_.front(), staying_); break;
                }
        }
    }

private:
    // How many stay from the first who dies up to this one.
    [[nodiscard]] std::int64_t staying_before(std::int32_t agent) const {
        return agent - dead_.front() - (std::lower_bound(dead_.begin(), dead_.end(), agent) - dead_.begin());
    }
    // Of a part of the list. Without a branch, for who dies cannot be foretold.
    template<class Code> void find_staying(std::int32_t* __restrict staying, std::int32_t from, std::int32_t until) const {
        const auto* const code = launch_.column<const Code>(launch_.plan().code);
        const auto codes = codes_of(launch_.plan());
        const int first_dying = codes.first_dying(), first_going = codes.first_going();
        auto at = staying_before(from);
        const auto end = staying_before(until);
        for (auto i = from; at < end; ++i) {
            staying[at] = i;
            at += code[i] < first_dying || code[i] >= first_going ? 1 : 0;
        }
    }

    const ListLaunch& launch_;
    std::span<const std::int32_t> dead_, staying_;
    std::int32_t population_;
};

// Several threads have a column each.
void remove_dead(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team) {
    if (scratch.dying.empty()) return;
    const auto& plan = launch.plan();
    const Removal removal(launch, scratch, team);
    std::vector<const ListColumn*> columns{&plan.id, &plan.place, &plan.refused, &plan.code};
    for (const auto& member : plan.members) columns.push_back(&member);
    const auto move_together = [&](int number) { removal.move_together(*columns[static_cast<std::size_t>(number)]); };
    if (pays_for_two(team, launch.population()))
        one_by_one(team, static_cast<int>(columns.size()), move_together);
    else
        for (int number = 0; number < static_cast<int>(columns.size()); ++number) move_together(number);
    launch.population() -= static_cast<std::int32_t>(scratch.dying.size());
}

// A member of some children, the first of whom is number `to` of the list.
template<std::size_t Bytes>
void copy_member(const ListLaunch& launch, std::size_t member, int element, std::span<const ListChild> children, std::int64_t to) {
    const auto& plan = launch.plan();
    const auto& into = plan.members[member];
    auto* values = launch.bytes(into) + static_cast<std::size_t>(to + element * into.stride) * Bytes;
    for (const auto& child : children) {
        const auto& source = plan.sources[static_cast<std::size_t>(child.source)];
        const auto& from = source.members[member];
        const auto cell = request_cell(plan, source, from, asked_by(source, child.asked)) + element * from.stride;
        std::memcpy(values, launch.bytes(from) + static_cast<std::size_t>(cell) * Bytes, Bytes);
        values += Bytes;
    }
}
void copy_members(const ListLaunch& launch, std::span<const ListChild> children, std::int64_t to) {
    const auto& members = launch.plan().members;
    for (std::size_t m = 0; m < members.size(); ++m)
        for (int e = 0; e < members[m].elements; ++e) switch (members[m].bytes) {
            case 1: copy_member<1>(launch, m, e, children, to); break;
            case 2: copy_member<2>(launch, m, e, children, to); break;
            case 4: copy_member<4>(launch, m, e, children, to); break;
            default: copy_member<8>(launch, m, e, children, to); break;
            }
}

// What has no room in an id.
struct NumberFaults {
    bool cycle, rank;
};
NumberFaults faults_of(const ListPlan& plan, std::uint64_t cycle, const ListChild& child) {
    const auto rank = static_cast<std::uint64_t>(child.rank) + 1;
    return {cycle >> id_bits_of_cycle != 0, rank >> (id_bits_of_birth - plan.place_bits) != 0};
}
void report_numbers(const ListLaunch& launch, std::uint64_t cycle, std::span<const ListChild> children) {
    const auto& plan = launch.plan();
    for (const auto& child : children) {
        const auto faults = faults_of(plan, cycle, child);
        const auto& source = plan.sources[static_cast<std::size_t>(child.source)];
        const auto* const parents = launch.column<const std::uint64_t>(source.parent);
        const auto parent = parents == nullptr ? 0 : parents[asked_by(source, child.asked).parent];
        if (faults.cycle) launch.report(births_too_often, parent);
        if (faults.rank) launch.report(births_too_many, parent);
    }
}
// Returns whether all numbers are right.
bool number_children(const ListLaunch& launch, std::uint64_t cycle, std::span<const ListChild> children, std::int64_t to) {
    const auto& plan = launch.plan();
    auto* id = launch.column<std::uint64_t>(plan.id) + to;
    auto* place = launch.column<std::int32_t>(plan.place) + to;
    bool are_right = true;
    for (const auto& child : children) {
        const auto faults = faults_of(plan, cycle, child);
        are_right &= !faults.cycle && !faults.rank;
        *id++ = agent_id(cycle, static_cast<std::uint64_t>(child.place), static_cast<std::uint64_t>(child.rank) + 1, plan.place_bits);
        *place++ = child.place;
    }
    return are_right;
}

void add_children(const ListLaunch& launch, const std::vector<ListChild>& children, ThreadPool& team) {
    if (children.empty()) return;
    const auto& plan = launch.plan();
    auto& population = launch.population();
    const std::int64_t to = population;
    const auto cycle = cycle_of(plan, launch.step(), launch.phase());
    std::atomic<bool> are_right = true;
    in_pieces(team, std::ssize(children), [&](std::int64_t begin, std::int64_t end) {
        const std::span some(children.data() + begin, children.data() + end);
        if (!number_children(launch, cycle, some, to + begin)) are_right.store(false, std::memory_order_relaxed);
        copy_members(launch, some, to + begin);
    });
    if (!are_right) report_numbers(launch, cycle, children);
    if (plan.code.bytes == 1)
        std::fill_n(launch.column<std::uint8_t>(plan.code) + to, children.size(), std::uint8_t{1});
    else
        std::fill_n(launch.column<std::uint16_t>(plan.code) + to, children.size(), std::uint16_t{1});
    if (auto* const told = launch.column<std::uint32_t>(plan.refused)) std::fill_n(told + to, children.size(), std::uint32_t{0});
    population += static_cast<std::int32_t>(children.size());
    launch.counters().born += children.size();
}

} // namespace

void chain_list(const ListPlan& plan, const std::int32_t* place, std::int32_t* start, std::int32_t* next) {
    const auto population = start[plan.places()];
    std::fill_n(start, plan.places(), -1);
    for (auto i = population - 1; i >= 0; --i) next[i] = std::exchange(start[place[i]], i);
}

void index_list(const ListPlan& plan, const std::int32_t* place, std::int32_t* start, void* counts, std::int32_t* rank,
                std::int32_t* next) {
    const auto population = start[plan.places()];
    plan.with_type_of_counts([&](auto type) {
        auto* __restrict const count = static_cast<decltype(type)*>(counts);
        std::memset(count, 0, static_cast<std::size_t>(plan.places()) * sizeof(type));
        for (std::int32_t i = 0; i < population; ++i) rank[i] = count[place[i]]++;
    });
    if (plan.chains) chain_list(plan, place, start, next);
}

namespace {

// The same by several threads, each of which has bands of places. What they find stands by band first: agents that follow each other in the
// list, and in memory, are of many bands.
template<class Count> void index_by_bands(const ListLaunch& launch, ThreadPool& team, ListShares& shares) {
    const auto& plan = launch.plan();
    const auto* const place = launch.column<const std::int32_t>(plan.place);
    auto* const start = launch.column<std::int32_t>(plan.start);
    auto* const rank = launch.column<std::int32_t>(plan.rank);
    auto* const next = launch.column<std::int32_t>(plan.next);
    auto* const count = launch.column<Count>(plan.count);
    const auto population = launch.population();
    auto& bands = shares.bands;
    auto& ranks = shares.ranks;
    const auto place_of = [=](std::int64_t i) { return place[i]; };
    bands.sort(team, plan.places(), population, place_of, [](std::int64_t i) { return static_cast<std::int32_t>(i); });
    if (ranks.size() < static_cast<std::size_t>(population)) ranks.resize(static_cast<std::size_t>(population));
    one_by_one(team, bands.bands(), [&](int band) {
        const auto [first, end] = bands.places(band);
        const auto agents = bands.of(band);
        std::fill(count + first, count + end, Count{0});
        auto* to = ranks.data() + bands.start(band);
        for (const auto& agent : agents) *to++ = count[agent.place]++;
        if (!plan.chains) return;
        std::fill(start + first, start + end, -1);
        for (auto agent = agents.rbegin(); agent != agents.rend(); ++agent)
            agent->number = std::exchange(start[agent->place], agent->number);
    });
    bands.for_each_entry(team, place_of, [&](std::int64_t i, std::size_t entry) {
        rank[i] = ranks[entry];
        if (plan.chains) next[i] = bands.entry(entry).number;
    });
}

} // namespace

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

void settle_list(const ListLaunch& launch, ListScratch& scratch, ThreadPool& team) {
    if (is_still(scratch)) return;
    if (is_quiet(launch, scratch)) return settle_movers(launch, scratch);
    const auto& plan = launch.plan();
    auto *const place = launch.column<std::int32_t>(plan.place), *const target = launch.column<std::int32_t>(plan.target);
    const auto* const movers = scratch.movers.begin();
    in_pieces(team, std::ssize(scratch.movers), [=](std::int64_t begin, std::int64_t end) {
        for (auto m = begin; m < end; ++m) place[movers[m]] = target[movers[m]];
    });
    remove_dead(launch, scratch, team);
    add_children(launch, scratch.children, team);
    scratch.dying.keep(0);
    scratch.children.clear();
    if (pays_for_two(team, launch.population()))
        plan.with_type_of_counts([&](auto type) { index_by_bands<decltype(type)>(launch, team, scratch.shares); });
    else
        index_list(plan, place, launch.column<std::int32_t>(plan.start), launch.column<void>(plan.count),
                   launch.column<std::int32_t>(plan.rank), launch.column<std::int32_t>(plan.next));
}

} // namespace tessera
