#include "host/schedule/exchange_check.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

ExchangeCheck::ExchangeCheck(const Setup& setup) : setup_(setup) {
    for (const auto& collection : setup.collections) columns_.emplace_back(collection.columns.size());
}

void ExchangeCheck::step(std::uint64_t number) {
    for (const auto& phase : setup_.phases) {
        if (!phase.timing.includes(number)) continue;
        if (const auto* called = std::get_if<CallPhase>(&phase.action))
            call(phase, called->kernel, number);
        else if (const auto* exchange = std::get_if<ExchangePhase>(&phase.action))
            for (const auto c : exchange->collections) std::fill(columns_[c].begin(), columns_[c].end(), Column{});
        else
            rotate(std::get<RotatePhase>(phase.action));
    }
}

void ExchangeCheck::call(const PhaseSetup& phase, std::size_t number, std::uint64_t step) {
    const auto& kernel = setup_.kernels[number];
    const auto& collection = setup_.collections[kernel.collection];
    const auto& uses = setup_.description().functions[kernel.function].uses;
    auto& columns = columns_[kernel.collection];
    for (std::size_t i = 0; i < uses.size(); ++i) {
        if (!uses[i].around || columns[i].written_by == nullptr) continue;
        const std::string member = collection.name + "." + setup_.row_of(collection).members[i].name;
        run_file::fail_at(
            phase.where, fmt::format("step {}: {} reads {} of its neighbours", step, phase.name, member),
            fmt::format("{} wrote it and it was not exchanged since", columns[i].written_by->name),
            fmt::format("add [[phase]] exchangeAll = \"{}\" before it, or set schedule.exchange = \"auto\"", collection.name));
    }
    for (std::size_t i = 0; i < uses.size(); ++i)
        if (uses[i].writes) columns[i].written_by = &phase;
}

void ExchangeCheck::rotate(const RotatePhase& phase) {
    auto& columns = columns_[phase.collection];
    const Column last = columns[phase.columns.back()];
    for (std::size_t i = phase.columns.size() - 1; i > 0; --i) columns[phase.columns[i]] = columns[phase.columns[i - 1]];
    columns[phase.columns.front()] = last;
}

void check_exchanges(const Setup& setup) {
    if (*setup.run.schedule.exchange == run_file::ExchangeMode::automatic) return;
    constexpr std::uint64_t most_steps = 100'000;
    const std::uint64_t steps = setup.run.run.steps ? std::min(**setup.run.run.steps, most_steps) : most_steps;
    ExchangeCheck check(setup);
    for (std::uint64_t k = 0; k < steps; ++k) check.step(k);
}

} // namespace tessera
