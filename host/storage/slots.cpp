// Agents in slots of their places. A manageAll is move requests, then birth requests, then what becomes of each slot; a function before
// or behind it makes the last where it goes over the slots anyway.
#include "host/storage/calls.hpp"
#include "host/storage/slot_kinds.hpp"
#include "host/storage/storage.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace tessera {
namespace {

// ---- passes over all slots that a function makes

bool looks_at_others(const Setup& setup, const KernelSetup& kernel) {
    const auto& uses = setup.function_of(kernel).agent_uses;
    return std::any_of(uses.begin(), uses.end(), [&](const model::AgentUse& use) {
        return (use.counts || use.meets) && setup.agents_of_row(use.row, kernel.collection) == kernel.collection;
    });
}

// The function that this phase calls, if it can change who is in a slot while it goes over them: that is to be done in no other phase, and
// nobody is to look at another agent meanwhile.
std::optional<KernelId> function_among_slots(const Setup& setup, std::size_t phase, CollectionId agents) {
    const auto& collection = setup.collections[agents];
    if (phase >= setup.phases.size() || collection.agents->capacity > 1 || collection.has(Role::goal)) return {};
    const auto* call = std::get_if<CallPhase>(&setup.phases[PhaseId(phase)].action);
    if (call == nullptr || call->shares || !is_usual(setup.phases[PhaseId(phase)])) return {};
    if (!is_called_once(setup, call->kernel)) return {};
    const auto& kernel = setup.kernels[call->kernel];
    if (kernel.collection != agents || looks_at_others(setup, kernel)) return {};
    return call->kernel;
}

void let_change(KernelSetup& kernel, ColumnId column) {
    for (auto& access : kernel.accesses)
        if (access.column == column) access.use.reads = access.use.writes = true;
}

// Whether the function that is called right before a manageAll, by which agents die and nothing else, buries them.
bool is_buried_before(Setup& setup, PhaseId manage, CollectionId agents) {
    if (!is_usual(setup.phases[manage])) return false;
    const auto by = function_among_slots(setup, manage.index() - 1, agents);
    if (!by) return false;
    setup.kernels[*by].buries = true;
    let_change(setup.kernels[*by], setup.codes_of(agents));
    std::get<ManagePhase>(setup.phases[manage].action).with.push_back(*by);
    return true;
}

// Whether the function that is called right behind it settles the slots.
bool is_settled_behind(Setup& setup, PhaseId manage, CollectionId agents, SlotWork work) {
    auto& phase = std::get<ManagePhase>(setup.phases[manage].action);
    if (!is_usual(setup.phases[manage]) || phase.collections.back() != agents) return false;
    const auto by = function_among_slots(setup, manage.index() + 1, agents);
    if (!by) return false;
    setup.kernels[*by].settles = work;
    let_change(setup.kernels[*by], setup.codes_of(agents));
    if (work == SlotWork::marked) let_change(setup.kernels[*by], setup.marks_of(agents));
    phase.with.push_back(*by);
    return true;
}

// ---- the storage

class SlotsOfPlaces : public StorageKind {
public:
    [[nodiscard]] bool is_list() const noexcept override { return false; }
    [[nodiscard]] bool has_rows_of_places() const noexcept override { return true; }
    [[nodiscard]] int agents_a_cell(const AgentsSetup& agents) const noexcept override { return agents.capacity; }
    [[nodiscard]] std::int64_t cells(const AgentsSetup&) const noexcept override { return 0; }
    [[nodiscard]] Scalar type_of_birth_requests(int offsets) const noexcept override { return offsets < 0x100 ? Scalar::u8 : Scalar::u16; }

    void add_columns(CollectionSetup& collection, const model::Row& row) const override {
        for (const auto& member : row.members) add_agent_column(collection, Role::member, member);
        add_agent_column(collection, Role::code, unnamed_member("(code)", Scalar::u8, 1));
        add_agent_column(collection, Role::mark, unnamed_member("(mark)", Scalar::u8, 1));
        add_agent_column(collection, Role::id, unnamed_member("(id)", Scalar::u64, 1));
    }
    void add_columns_of_goals(CollectionSetup& collection) const override {
        add_agent_column(collection, Role::goal, unnamed_member("(goal)", Scalar::i32, 1));
        add_column(collection, Role::claim, unnamed_member("(claim)", Scalar::u64, collection.agents->capacity)); // a round each
    }

    [[nodiscard]] Role presence() const noexcept override { return Role::code; }
    [[nodiscard]] std::vector<Role> written_by_first_births(const AgentsSetup&) const override { return {}; }

    [[nodiscard]] LaunchShape shape_of_function(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        return shape_of_slots(setup, kernel, rows);
    }
    [[nodiscard]] LaunchShape shape_of_reduction(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        return shape_of_slots(setup, kernel, rows);
    }

    void add_kernels(Setup& setup, PhaseId manage, CollectionId agents, const Asked& asked, std::vector<KernelId>& kernels) const override {
        const auto add = [&](const KernelKind& kind, std::size_t source = 0) {
            kernels.push_back(manage_kernel(setup, agents, kind, source));
        };
        const bool go_anywhere = setup.collections[agents].has(Role::goal);
        if (setup.collections[agents].has(Role::refused_births)) add(kind_of_forgotten_births());
        if (asked.moves && !go_anywhere) add(kind_of_move_requests());
        if (asked.moves && go_anywhere) add_bids(setup, agents, kernels);
        for (const auto source : asked.births) add(kind_of_births(), source);
        if (!asked.births.empty())
            add(kind_of_slots_and_birth_requests());
        else if (asked.moves) {
            if (!is_settled_behind(setup, manage, agents, SlotWork::marked)) add(kind_of_marked_slots());
        } else if (asked.dies || setup.collections[agents].agents->keeps_results) {
            if (!is_buried_before(setup, manage, agents) && !is_settled_behind(setup, manage, agents, SlotWork::unmarked))
                add(kind_of_slots());
        }
    }

    [[nodiscard]] std::vector<std::string> explained(const Setup& setup, CollectionId agents, const std::string& bytes) const override {
        const auto& collection = setup.collections[agents];
        const auto& agents_setup = *collection.agents;
        std::vector<std::string> lines{fmt::format("in slots: {} on each place of {}, {} of memory whether the slots are used or not",
                                                   agents_setup.capacity, setup.collections[agents_setup.ground].name, bytes)};
        if (!collection.has(Role::goal))
            lines.push_back(fmt::format("a slot's code has {} bits: an agent can move in one of {} ways",
                                        8 * size_of(setup[setup.codes_of(agents)].layout.type), agents_setup.offsets() - 1));
        return lines;
    }

private:
    static void add_bids(Setup& setup, CollectionId agents, std::vector<KernelId>& kernels) {
        for (int round = 0; round < setup.collections[agents].agents->capacity; ++round)
            for (const auto* kind : {&kind_of_bids(), &kind_of_granted_bids()})
                kernels.push_back(manage_kernel(setup, agents, *kind, 0, round));
    }
};

} // namespace

const StorageKind& slots_of_places() {
    static const SlotsOfPlaces storage;
    return storage;
}

} // namespace tessera
