// Agents in one list, in the order of their places.
#include "host/setup/births.hpp"
#include "host/storage/accesses.hpp"
#include "host/storage/calls.hpp"
#include "host/storage/list_kinds.hpp"
#include "host/storage/storage.hpp"
#include "kernels/agents/list_blocks.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

// The last function by which agents move or die finds where each will be, where one device makes the run. Where functions ask how many
// children were not born, those behind it still read what finding targets forgets. In space functions meet those who are near, which takes
// most of the registers: there the pass by itself is faster (docs/decisions/agents-in-a-list.md).
void let_find_targets(Setup& setup, PhaseId manage, CollectionId agents, KernelId part) {
    const auto& collection = setup.collections[agents];
    const auto by = collection.has(Role::refused_births) || collection.agents->space ? std::nullopt : last_to_ask(setup, manage, agents);
    if (!by) return;
    auto& kernel = setup.kernels[*by];
    kernel.finds_targets = true;
    for (const auto role : {Role::arrival, Role::target, Role::arrived, Role::goal})
        if (const auto column = setup.find_column(agents, role)) add_access(kernel.accesses, {*column, changing()});
    auto& phase = std::get<ManagePhase>(setup.phases[manage].action);
    phase.made_by_functions.push_back(part);
    phase.with.push_back(*by);
}

// Whether nobody can have moved before a manageAll, and children are born where their parents stand. Where functions ask how many children
// were not born, somebody has to forget what they were told before.
bool everybody_stays(const Setup& setup, CollectionId agents, const Asked& asked) {
    const auto& collection = setup.collections[agents];
    return !asked.moves && !collection.has(Role::refused_births) &&
           std::all_of(asked.births.begin(), asked.births.end(),
                       [&](std::size_t source) { return are_born_at_parents(setup, agents, collection.agents->sources[source]); });
}

class ListOfAgents : public StorageKind {
public:
    [[nodiscard]] bool is_list() const noexcept override { return true; }
    [[nodiscard]] bool has_rows_of_places() const noexcept override { return false; }
    [[nodiscard]] int agents_a_cell(const AgentsSetup&) const noexcept override { return 1; }
    [[nodiscard]] std::int64_t cells(const AgentsSetup& agents) const noexcept override { return agents.capacity; }
    [[nodiscard]] Scalar type_of_birth_requests(int) const noexcept override { return Scalar::i32; }

    // Nobody marks anything in a list.
    void add_columns(CollectionSetup& collection, const model::Row& row) const override {
        const auto& agents_setup = *collection.agents;
        const auto places = collection.places();
        const auto add = [&](Role role, const char* name, Scalar type, std::int64_t cells) {
            add_column(collection, role, unnamed_member(name, type, 1), cells);
        };
        for (const auto& member : row.members) add_agent_column(collection, Role::member, member);
        add(Role::code, "(code)", Scalar::u8, agents_setup.capacity);
        add(Role::mark, "(mark)", Scalar::u8, 1);
        add(Role::id, "(id)", Scalar::u64, agents_setup.capacity);
        add(Role::place, "(place)", Scalar::i32, agents_setup.capacity);
        add(Role::start, "(start)", Scalar::i32, places + 1);
        add(Role::arrival, "(arrival)", Scalar::i32, places);
        add(Role::order, "(order)", Scalar::i32, agents_setup.capacity);
        add(Role::sum, "(sum)", Scalar::i32, blocks_of_places(places) + 2 + blocks_of_agents(agents_setup.capacity));
        add(Role::target, "(target)", Scalar::i32, agents_setup.capacity);
        add(Role::arrived, "(arrived)", Scalar::u8, agents_setup.capacity);
        if (!agents_setup.space) return;
        add_agent_column(collection, Role::position, unnamed_member("(position)", agents_setup.space->number, collection.dimensions));
        add_agent_column(collection, Role::aim, unnamed_member("(aim)", agents_setup.space->number, collection.dimensions));
    }
    void add_columns_of_goals(CollectionSetup& collection) const override {
        add_agent_column(collection, Role::goal, unnamed_member("(goal)", Scalar::i32, 1));
    }

    [[nodiscard]] Role presence() const noexcept override { return Role::start; } // where a place's agents begin
    [[nodiscard]] std::vector<Role> read_by_functions() const override { return {Role::place, Role::start}; }
    [[nodiscard]] std::vector<Role> written_by_first_births(const AgentsSetup& agents_setup) const override {
        std::vector<Role> roles{Role::start, Role::arrival};
        if (agents_setup.space) roles.push_back(Role::position);
        return roles;
    }

    [[nodiscard]] LaunchShape shape_of_function(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        return shape_of_list(setup, kernel);
    }
    [[nodiscard]] LaunchShape shape_of_reduction(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        return kind_of_targets().shape(setup, kernel, rows); // which goes over the same agents
    }

    void add_kernels(Setup& setup, PhaseId manage, CollectionId agents, const Asked& asked, std::vector<KernelId>& kernels) const override {
        const auto& collection = setup.collections[agents];
        if (!asked.any() && !collection.agents->keeps_results && !collection.has(Role::refused_births)) return;
        const auto add = [&](const KernelKind& kind) { kernels.push_back(manage_kernel(setup, agents, kind)); };
        const auto add_of_birth_requests = [&](const KernelKind& kind) {
            for (const auto source : asked.births) kernels.push_back(manage_kernel(setup, agents, kind, source));
        };
        if (everybody_stays(setup, agents, asked)) {
            for (const auto* kind : {&kind_of_sums_of_agents(), &kind_of_those_who_stay(), &kind_of_moved_starts()}) add(*kind);
            return;
        }
        add(kind_of_targets());
        let_find_targets(setup, manage, agents, kernels.back());
        add_of_birth_requests(kind_of_counted_birth_requests());
        if (!makes_sums_by_itself(collection.places())) add(kind_of_sums());
        add(kind_of_starts());
        add(kind_of_entered_agents());
        add_of_birth_requests(kind_of_entered_birth_requests());
        add(kind_of_settled_lists());
    }

    [[nodiscard]] std::vector<std::string> explained(const Setup& setup, CollectionId agents, const std::string& bytes) const override {
        const auto& agents_setup = *setup.collections[agents].agents;
        return {fmt::format("in {}, in the order of the places of {}, with room for {}: {} of memory",
                            agents_setup.space ? "space, and in a list" : "a list", setup.collections[agents_setup.ground].name,
                            agents_setup.capacity, bytes)};
    }
};

} // namespace

const StorageKind& list_in_order_of_places() {
    static const ListOfAgents storage;
    return storage;
}

} // namespace tessera
