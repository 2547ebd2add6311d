#include "host/setup/setup.hpp"

#include "host/setup/uniforms.hpp"
#include "kernels/launch/arguments.hpp"

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

std::vector<run_file::Timing> Setup::births_of(CollectionId agents) const {
    std::vector<run_file::Timing> timings;
    for (const auto phase : collections[agents].agents->birth_phases) timings.push_back(phases[phase].timing);
    return timings;
}

bool Setup::is_given(CollectionId id, std::size_t member) const {
    const auto& collection = collections[id];
    const auto& given = start[id];
    if (given.file && given.file->find(member) != nullptr) return true;
    return std::any_of(given.init.begin(), given.init.end(),
                       [&](const auto& named) { return *named.name == collection.stored[member].name; });
}

CollectionId Setup::first_agents_id() const noexcept {
    std::size_t first = 0;
    while (first < collections.size() && !collections[first].agents) ++first;
    return CollectionId(first);
}

CollectionId Setup::first_recorded_id() const noexcept {
    std::size_t first = 0;
    while (first < collections.size() && collections[CollectionId(first)].are_places()) ++first;
    return CollectionId(first);
}

std::uint64_t first_count(const Setup& setup, CollectionId agents) {
    return setup.start[agents].agents_on(setup.collections[setup.ground_of(agents)].places());
}

std::int64_t Setup::column_bytes() const noexcept {
    std::int64_t total = 0;
    for (const auto& collection : collections)
        for (const auto& column : collection.columns) total += column.layout.bytes * (column.has_spare ? 2 : 1);
    return total;
}

std::vector<CollectionId> links_at(const Setup& setup, CollectionId places, const model::LinkUse& use) {
    if (use.side == model::LinkSide::from || use.side == model::LinkSide::to) return {places}; // of links: their own
    std::vector<CollectionId> found;
    for (const auto id : setup.collections.ids()) {
        const auto& links = setup.collections[id].links;
        if (links && setup.collections[id].row == use.row && (use.side == model::LinkSide::out ? links->from : links->to) == places)
            found.push_back(id);
    }
    return found;
}

std::vector<model::Use> own_uses(const Setup& setup, const KernelSetup& kernel) {
    std::vector<model::Use> uses(setup.collections[kernel.collection].columns.size());
    for (const auto& access : kernel.accesses)
        if (const auto& place = setup.columns[access.column]; place.collection == kernel.collection) uses[place.member] = access.use;
    return uses;
}

std::vector<KernelId> Setup::launched_for(const ManagePhase& manage) const {
    if (in_bands()) return manage.kernels;
    std::vector<KernelId> launched;
    const auto& made = manage.made_by_functions;
    std::copy_if(manage.kernels.begin(), manage.kernels.end(), std::back_inserter(launched),
                 [&](KernelId kernel) { return std::find(made.begin(), made.end(), kernel) == made.end(); });
    return launched;
}

std::int64_t birth_requests_of(const CollectionSetup& children, const BirthSource& source) noexcept {
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
    std::size_t words = first_value_word + description().values.size() + words_of_uniforms(description()) * uniform_rows;
    for (std::size_t r = 0; r < reduction.index(); ++r) words += static_cast<std::size_t>(reductions[ReductionId(r)].words) * partitions();
    return words;
}

std::vector<CollectionId> Setup::lists_with_first_children(const KernelSetup& kernel) const {
    std::vector<CollectionId> lists;
    if (!kernel.is_function() || !function_of(kernel).is_init) return lists;
    for (const auto& use : function_of(kernel).agent_uses) {
        const auto children = use.spawns ? agents_of_row(use.row, kernel.collection) : std::nullopt;
        if (children && collections[*children].agents->in_list()) lists.push_back(*children);
    }
    return lists;
}

std::optional<CollectionId> Setup::agents_of_row(std::size_t row, CollectionId among) const {
    const auto ground = collections[among].agents ? collections[among].agents->ground : among;
    for (const auto id : collections.ids())
        if (collections[id].row == row && collections[id].agents && collections[id].agents->ground == ground) return id;
    return std::nullopt;
}

} // namespace tessera
