#include "host/setup/setup.hpp"

#include "device_runtime/error.hpp"
#include "host/setup/bind.hpp"
#include "kernels/launch/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace tessera {

std::optional<CollectionId> Setup::find_collection(const std::string& name) const {
    for (const auto id : collections.ids())
        if (collections[id].name == name) return id;
    return std::nullopt;
}

ColumnSetup& Setup::operator[](ColumnId column) { return collections[columns[column].collection].columns[columns[column].member]; }

const ColumnSetup& Setup::operator[](ColumnId column) const {
    return collections[columns[column].collection].columns[columns[column].member];
}

const model::Member& Setup::member_of(ColumnId column) const {
    return collections[columns[column].collection].stored[columns[column].member];
}

std::string Setup::name_of(ColumnId column) const { return collections[columns[column].collection].name + "." + member_of(column).name; }

bool Setup::is_given(CollectionId id, std::size_t member) const {
    const auto& collection = collections[id];
    if (collection.crowd && collection.crowd->file && collection.crowd->file->find(member) != nullptr) return true;
    const auto& init = collection.crowd ? agents_of(id).init : run.places[id.index()]->init;
    return std::any_of(init.begin(), init.end(), [&](const auto& named) { return *named.name == collection.stored[member].name; });
}

std::int64_t Setup::column_bytes() const noexcept {
    std::int64_t total = 0;
    for (const auto& collection : collections)
        for (const auto& column : collection.columns) total += column.layout.bytes * (column.has_spare ? 2 : 1);
    return total;
}

std::vector<model::Use> own_uses(const Setup& setup, const KernelSetup& kernel) {
    std::vector<model::Use> uses(setup.collections[kernel.collection].columns.size());
    for (const auto& access : kernel.accesses)
        if (const auto& place = setup.columns[access.column]; place.collection == kernel.collection) uses[place.member] = access.use;
    return uses;
}

const char* name_of(KernelWork work) noexcept {
    switch (work) {
    case KernelWork::function: return "function";
    case KernelWork::shares: return "shares";
    case KernelWork::wishes: return "wishes";
    case KernelWork::open_bids: return "open_bids";
    case KernelWork::bid_for_places: return "bid_for_places";
    case KernelWork::grant_bids: return "grant_bids";
    case KernelWork::forget_refused_births: return "forget_refused_births";
    case KernelWork::births: return "births";
    case KernelWork::slots: return "slots";
    case KernelWork::marked_slots: return "marked_slots";
    case KernelWork::find_targets: return "find_targets";
    case KernelWork::count_notes: return "count_notes";
    case KernelWork::sum_blocks: return "sum_blocks";
    case KernelWork::find_starts: return "find_starts";
    case KernelWork::enter_agents: return "enter_agents";
    case KernelWork::enter_notes: return "enter_notes";
    case KernelWork::settle_list: return "settle_list";
    case KernelWork::forget_list_notes: return "forget_list_notes";
    case KernelWork::reduction: return "reduction";
    case KernelWork::slots_and_notes: break;
    }
    return "slots_and_notes";
}

bool has_source(KernelWork work) noexcept {
    return work == KernelWork::births || work == KernelWork::count_notes || work == KernelWork::enter_notes ||
           work == KernelWork::forget_list_notes;
}

bool is_of_bids(KernelWork work) noexcept {
    return work == KernelWork::open_bids || work == KernelWork::bid_for_places || work == KernelWork::grant_bids;
}

std::int64_t notes_of(const CollectionSetup& children, const BirthSource& source) noexcept {
    return (source.in_list ? 1 : children.places()) * source.slots * source.calls;
}

bool Setup::asks_state() const noexcept {
    return std::any_of(phases.begin(), phases.end(),
                       [](const PhaseSetup& phase) { return std::holds_alternative<UntilPhase>(phase.action); });
}

bool Setup::asks_state_in(std::uint64_t step) const noexcept {
    return std::any_of(phases.begin(), phases.end(), [step](const PhaseSetup& phase) {
        return std::holds_alternative<UntilPhase>(phase.action) && phase.timing.includes(step);
    });
}

std::size_t Setup::first_word_of(ReductionId reduction) const noexcept {
    std::size_t words = first_value_word + description().values.size();
    for (std::size_t r = 0; r < reduction.index(); ++r) words += static_cast<std::size_t>(reductions[ReductionId(r)].words) * partitions();
    return words;
}

std::vector<CollectionId> Setup::lists_with_first_children(const KernelSetup& kernel) const {
    std::vector<CollectionId> lists;
    if (kernel.work != KernelWork::function || !function_of(kernel).is_init) return lists;
    for (const auto& use : function_of(kernel).crowds) {
        const auto children = use.spawns ? agents_of_row(use.row, kernel.collection) : std::nullopt;
        if (children && collections[*children].crowd->in_list) lists.push_back(*children);
    }
    return lists;
}

std::optional<CollectionId> Setup::agents_of_row(std::size_t row, CollectionId among) const {
    const auto ground = collections[among].crowd ? collections[among].crowd->ground : among;
    for (const auto id : collections.ids())
        if (collections[id].row == row && collections[id].crowd && collections[id].crowd->ground == ground) return id;
    return std::nullopt;
}

Setup bind(const model::Model& model, run_file::RunFile run, Functions functions, Modes modes) {
    Setup setup;
    setup.modes_ = modes;
    setup.functions_ = functions;
    setup.model = &model;
    setup.run = std::move(run);
    for (const auto& places : setup.run.places) setup.collections.add(bind_collection(model.description, *places));
    for (auto& agents : setup.run.agents) setup.collections.add(bind_agents(setup, agents.value));
    if (setup.collections.empty())
        throw Error(Failure::input, fmt::format("{}: no places to run {} on", setup.run.path, model.description.name),
                    "there is no [places] table", fmt::format("add [places.{}] with a size", model.description.rows.front().collection));
    check_extents(setup);
    bind_notes(setup);
    for (const auto id : setup.collections.ids()) {
        setup.collections[id].first_column = ColumnId(setup.columns.size());
        for (std::size_t member = 0; member < setup.collections[id].columns.size(); ++member) setup.columns.add({id, member});
    }
    setup.parameters = bind_parameters(model, setup.run);
    bind_phases(setup, functions);
    check_values(setup, functions);
    for (const auto collection : setup.collections.ids())
        if (setup.collections[collection].crowd) choose_codes(setup, collection);
    lay_out(setup);
    return setup;
}

Setup bound_again(const Setup& setup, run_file::RunFile run) {
    auto next = bind(*setup.model, std::move(run), setup.functions(), setup.modes());
    next.bytes_at_a_time = setup.bytes_at_a_time;
    return next;
}

} // namespace tessera
