#include "host/schedule/exchange_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>

namespace tessera {

namespace {

bool looks_away(const model::Use& use, const CollectionSetup& collection) {
    const auto dims = static_cast<std::size_t>(collection.dimensions - 1);
    return use.everywhere || use.low[dims] != std::array<int, 3>{} || use.high[dims] != std::array<int, 3>{};
}

} // namespace

ExchangeCheck::ExchangeCheck(const Setup& setup) : setup_(setup) { columns_.resize(setup.columns.size()); }

void ExchangeCheck::step(std::uint64_t number) {
    for (const auto& phase : setup_.phases) {
        if (!phase.timing.includes(number)) {
            note_arrivals(phase);
            continue;
        }
        if (const auto* called = std::get_if<CallPhase>(&phase.action))
            call(phase, *called, number);
        else if (const auto* exchange = std::get_if<ExchangePhase>(&phase.action))
            make_known(exchange->collections);
        else if (const auto* columns = std::get_if<RotatePhase>(&phase.action))
            rotate(*columns);
        else if (const auto* manage = std::get_if<ManagePhase>(&phase.action))
            make_known(manage->collections); // where agents stand, and what they are
        else if (const auto* until = std::get_if<UntilPhase>(&phase.action))
            ask(*until, !phase.first_round);
    }
}

// It may be that none of a repeat's phases is made: what was not known before it is not known behind it.
void ExchangeCheck::ask(const UntilPhase& until, bool is_first) {
    if (is_first) before_ = columns_;
    if (!until.is_last) return;
    for (std::size_t c = 0; c < columns_.size(); ++c)
        if (columns_[c].written_by == nullptr) columns_[c] = before_[c];
}

void ExchangeCheck::make_known(const std::vector<CollectionId>& collections) {
    for (const auto c : collections)
        for (std::size_t m = 0; m < setup_.collections[c].columns.size(); ++m) state(setup_.column_of(c, m)) = {};
}

void ExchangeCheck::call(const PhaseSetup& phase, const CallPhase& called, std::uint64_t step) {
    const auto& kernel = setup_.kernels[called.kernel];
    for (const auto& [column, use, aside] : kernel.accesses) {
        const auto& collection = setup_.collections[setup_.columns[column].collection];
        if (!use.around || state(column).written_by == nullptr || !looks_away(use, collection)) continue;
        run_file::fail_at(
            phase.where, fmt::format("step {}: {} reads {} of its neighbours", step, phase.name, setup_.name_of(column)),
            fmt::format("{} wrote it and it was not exchanged since", state(column).written_by->name),
            fmt::format("add [[phase]] exchangeAll = \"{}\" before it, or set schedule.exchange = \"auto\"", collection.name));
    }
    note_writes(phase, kernel);
    if (called.shares) note_writes(phase, setup_.kernels[*called.shares]);
    note_arrivals(phase);
}

void ExchangeCheck::note_writes(const PhaseSetup& phase, const KernelSetup& done) {
    for (const auto& [column, use, aside] : done.accesses)
        if (use.writes) state(column).written_by = &phase;
}

void ExchangeCheck::note_arrivals(const PhaseSetup& phase) {
    if (const auto* called = std::get_if<CallPhase>(&phase.action))
        for (const auto arrivals : called->arrivals) note_writes(phase, setup_.kernels[arrivals]);
}

void ExchangeCheck::rotate(const RotatePhase& phase) {
    const auto& columns = phase.columns;
    const Column last = state(columns.back());
    for (std::size_t i = columns.size() - 1; i > 0; --i) state(columns[i]) = state(columns[i - 1]);
    state(columns.front()) = last;
}

namespace {

// The first step behind `step` from which on a phase is made, or is not any more.
std::uint64_t next_change(const Setup& setup, std::uint64_t step) {
    auto next = std::numeric_limits<std::uint64_t>::max();
    for (const auto& phase : setup.phases)
        for (const auto change : {phase.timing.from, phase.timing.until.value_or(0)})
            if (change > step) next = std::min(next, change);
    return next;
}

// After how many steps the same phases come again, where none begins or ends; `most`, if that is not before.
std::uint64_t period_of(const Setup& setup, std::uint64_t most) {
    std::uint64_t period = 1;
    for (const auto& phase : setup.phases) {
        period = std::lcm(period, std::min(phase.timing.every, most));
        if (period >= most) return most;
    }
    return period;
}

} // namespace

void check_exchanges(const Setup& setup) {
    if (setup.modes().exchange == run_file::ExchangeMode::automatic) return;
    constexpr std::uint64_t most_steps = 100'000;
    const std::uint64_t steps = setup.agenda.steps ? std::min(**setup.agenda.steps, most_steps) : most_steps;
    ExchangeCheck check(setup);
    const auto period = period_of(setup, steps);
    for (std::uint64_t k = 0; k < steps;) {
        const auto end = std::min(steps, next_change(setup, k));
        while (k < end) {
            const auto before = check.columns();
            const auto until = std::min(k + period, end);
            for (; k < until; ++k) check.step(k);
            if (check.columns() == before) k += (end - k) / period * period;
        }
    }
}

} // namespace tessera
