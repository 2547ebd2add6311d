#include "host/execute/step_words.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/printable.hpp"
#include "kernels/launch/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {
namespace {

std::size_t bytes_of_words(std::size_t words) { return words * sizeof(std::uint64_t); }

std::size_t words_of_one(const Setup& setup, ReductionId reduction) { return static_cast<std::size_t>(setup.reductions[reduction].words); }

// As kernels/reduce/reduction.hpp has them.
constexpr std::uint64_t overflow = 1, zero_divisor = 2, out_of_range = 4;

ReductionId reduction_of(const PhaseSetup& phase) {
    if (const auto* until = std::get_if<UntilPhase>(&phase.action)) return until->question;
    return std::get<ReducePhase>(phase.action).reduction;
}

} // namespace

void make_step_words(Partitions& partitions, const Setup& setup) {
    for (auto& partition : partitions) partition.step = partition.device->allocate(bytes_of_words(setup.step_words()));
    if (partitions.size() > 1 && !setup.reductions.empty())
        partitions.front().shared = partitions.front().device->host_memory(bytes_of_words(setup.step_words()));
}

std::uint64_t* words_of(const Partition& partition, const Setup& setup, ReductionId reduction) {
    return partition.step_counter() + setup.first_word_of(reduction);
}

Copy copy_of_words(const Partitions& partitions, const Setup& setup, const ShareWork& work, std::size_t partition) {
    auto* const on_host = static_cast<std::uint64_t*>(partitions.front().shared.address()) + setup.first_word_of(work.reduction);
    auto* const on_device = words_of(partitions[partition], setup, work.reduction);
    const auto words = words_of_one(setup, work.reduction), own = partition * words;
    if (work.to_all) return {on_host + own, on_device + own, bytes_of_words(words)};
    return {on_device, on_host, bytes_of_words(words * partitions.size())};
}

std::optional<ReduceFault> find_reduce_fault(const Partitions& partitions, const Setup& setup) {
    if (setup.reductions.empty()) return std::nullopt;
    std::uint64_t words[3] = {};
    const auto& first = partitions.front();
    first.queue->read(words, first.step_counter() + reduce_fault_word, sizeof(words));
    if (words[0] == 0) return std::nullopt;
    return ReduceFault{PhaseId((words[0] & 0xffffffff) - 1), words[0] >> 32, words[1] >> 32, static_cast<std::uint32_t>(words[1]),
                       static_cast<std::int64_t>(words[2])};
}

void tell_fault(const Setup& setup, const ReduceFault& fault) {
    const auto& phase = setup.phases[fault.phase];
    const auto& value = setup.reductions[reduction_of(phase)].values[fault.value];
    const auto text = fmt::format("{}`{}`", run_file::in_file(value.expression.where), shown(value.expression->text)),
               when = fmt::format("in step {}, {}", fault.step, phase.name);
    if ((fault.what & zero_divisor) != 0)
        throw Error(Failure::model, fmt::format("{} takes a remainder of a division by 0 {}", text, when));
    if ((fault.what & overflow) != 0)
        throw Error(Failure::model, fmt::format("{} does not fit {}", text, when), "integers here have 64 bits, with a sign",
                    "multiply by 1.0 to compute in double");
    const auto& declared = setup.description().values[*value.target];
    if ((fault.what & out_of_range) != 0)
        throw Error(Failure::model, fmt::format("{} is {} {}", text, fault.whole, when),
                    fmt::format("{} is {}", declared.name, name_of(declared.type)), "declare it with a larger type");
    throw Error(Failure::model, fmt::format("{} goes over no agents {}", text, when),
                fmt::format("the result is then not a number, and {} is {}", declared.name, name_of(declared.type)),
                fmt::format("declare TESSERA_GLOBAL(double, {})", declared.name));
}

std::optional<SendFault> find_send_fault(const Partitions& partitions, const Setup& setup) {
    if (!setup.has_sent()) return std::nullopt;
    std::uint64_t words[2] = {};
    const auto& first = partitions.front();
    first.queue->read(words, first.step_counter() + send_fault_word, sizeof(words));
    if (words[0] == 0) return std::nullopt;
    const auto what = ~words[1];
    return SendFault{KernelId((words[0] & 0xffffffff) - 1), words[0] >> 32, static_cast<std::int64_t>(what >> 32),
                     static_cast<std::int32_t>(static_cast<std::uint32_t>(what))};
}

namespace {

// The links along which a kernel sends.
const CollectionSetup& links_sent_along(const Setup& setup, const KernelSetup& kernel) {
    for (const auto& use : setup.function_of(kernel).link_uses)
        if (!use.sent.empty()) return setup.collections[links_at(setup, kernel.collection, use).front()];
    throw Error(Failure::internal, kernel.name + " sends along no links");
}

int most_planes(const Setup& setup, const KernelSetup& kernel) {
    int planes = 1;
    for (const auto& access : kernel.accesses) planes = std::max(planes, setup[access.column].planes);
    return planes;
}

} // namespace

void tell_fault(const Setup& setup, const SendFault& fault) {
    const auto& kernel = setup.kernels[fault.kernel];
    const auto& links = links_sent_along(setup, kernel);
    std::string phase = "callAll " + kernel.name;
    for (const auto& each : setup.phases)
        if (const auto* call = std::get_if<CallPhase>(&each.action); call != nullptr && call->kernel == fault.kernel) phase = each.name;
    throw Error(Failure::model,
                fmt::format("{} {} sends along {} what is to be there {} steps later, in step {}, {}",
                            setup.collections[kernel.collection].name, fault.place, links.name, fault.later, fault.step, phase),
                fault.later < 0
                    ? "it can be there in the same step at the soonest"
                    : fmt::format("`delays` of the links is {}, and what is sent is there fewer steps later", most_planes(setup, kernel)),
                fault.later < 0 ? "give .after() 0 or more"
                                : fmt::format("set links.{}.delays = {}, or more", links.name, fault.later + 1));
}

} // namespace tessera
