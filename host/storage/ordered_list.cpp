// Agents in one list, in the order of their ids, where one CPU makes the run. Only who is alive is gone over, whatever places there are.
#include "host/manage/ordered_list.hpp"

#include "host/storage/accesses.hpp"
#include "host/storage/list_kinds.hpp"
#include "host/storage/storage.hpp"

#include <fmt/format.h>

namespace tessera {
namespace {

// A part of manageAll that is compiled with the program (host/manage).
class OrderedKind : public KernelKind {
public:
    OrderedKind(const char* name, const char* explained, Turn turn, ListWork work)
        : name_(name), explained_(explained), turn_(turn), work_(work) {}

    [[nodiscard]] const char* name() const noexcept override { return name_; }
    [[nodiscard]] std::string explained() const override { return explained_; }
    [[nodiscard]] Turn turn() const noexcept override { return turn_; }
    [[nodiscard]] std::optional<ListWork> list_work() const noexcept override { return work_; }
    [[nodiscard]] bool is_of_all_rows() const noexcept override { return true; }
    [[nodiscard]] LaunchShape shape(const Setup&, const KernelSetup&, const RowRange&) const override { return {}; }

    // All columns of the collection in their order, and behind them what is told to parents of other collections.
    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        std::vector<Access> accesses;
        const auto& collection = setup.collections[kernel.collection];
        for (std::size_t c = 0; c < collection.columns.size(); ++c) accesses.push_back({setup.column_of(kernel.collection, c), changing()});
        for (const auto& source : collection.agents->sources)
            if (setup.tells_parents(source)) add_access(accesses, {setup.column_of(source.parents, Role::refused_births), changing()});
        return accesses;
    }

private:
    const char *name_, *explained_;
    Turn turn_;
    ListWork work_;
};

const KernelKind& kind_of_moves() {
    static const OrderedKind kind("list_moves", "one over all agents, which finds out where each will be", KernelKind::Turn::moves,
                                  ListWork::moves);
    return kind;
}
const KernelKind& kind_of_children() {
    static const OrderedKind kind("list_births", "one over the requested children", KernelKind::Turn::births, ListWork::births);
    return kind;
}
const KernelKind& kind_of_settled() {
    static const OrderedKind kind("list_settles", "one over the list, which removes the dead, appends the children and counts all",
                                  KernelKind::Turn::settles, ListWork::settles);
    return kind;
}

class OrderedListOfAgents : public StorageKind {
public:
    [[nodiscard]] bool is_list() const noexcept override { return true; }
    [[nodiscard]] bool has_rows_of_places() const noexcept override { return false; }
    [[nodiscard]] bool is_ordered() const noexcept override { return true; }
    [[nodiscard]] int agents_a_cell(const AgentsSetup&) const noexcept override { return 1; }
    [[nodiscard]] std::int64_t cells(const AgentsSetup& agents) const noexcept override { return agents.capacity; }
    [[nodiscard]] Scalar type_of_birth_requests(int) const noexcept override { return Scalar::i32; }

    // Nobody marks anything in a list.
    void add_columns(CollectionSetup& collection, const model::Row& row) const override {
        const std::int64_t room = collection.agents->capacity, places = collection.places();
        const auto add = [&](Role role, const char* name, Scalar type, std::int64_t cells) {
            add_column(collection, role, unnamed_member(name, type, 1), cells);
        };
        for (const auto& member : row.members) add_agent_column(collection, Role::member, member);
        add(Role::code, "(code)", Scalar::u8, room);
        add(Role::mark, "(mark)", Scalar::u8, 1);
        add(Role::id, "(id)", Scalar::u64, room);
        add(Role::place, "(place)", Scalar::i32, room);
        add(Role::start, "(start)", Scalar::i32, places + 1);
        add(Role::arrival, "(arrival)", Scalar::i32, places);
        add(Role::target, "(target)", Scalar::i32, room);
        const auto most = collection.agents->most_on_place;
        add(Role::count, "(count)", most > 0 && most < 255 ? Scalar::u8 : Scalar::i32, places);
        add(Role::rank, "(rank)", Scalar::i32, room);
        add(Role::next, "(next)", Scalar::i32, room);
    }
    void add_columns_of_goals(CollectionSetup& collection) const override {
        add_agent_column(collection, Role::goal, unnamed_member("(goal)", Scalar::i32, 1));
    }

    [[nodiscard]] Role presence() const noexcept override { return Role::count; }
    [[nodiscard]] std::vector<Role> read_by_functions() const override { return {Role::place, Role::start, Role::count, Role::rank}; }
    [[nodiscard]] std::optional<Role> written_by_moves() const override { return Role::target; }
    [[nodiscard]] std::vector<Role> read_by_shares() const override { return {Role::place, Role::start}; }
    [[nodiscard]] std::vector<Role> read_by_meetings() const override { return {Role::start, Role::next}; }
    [[nodiscard]] std::vector<Role> read_by_reductions() const override { return {Role::start}; }
    [[nodiscard]] std::vector<Role> written_by_first_births(const AgentsSetup&) const override { return {Role::start, Role::arrival}; }

    [[nodiscard]] LaunchShape shape_of_function(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        return shape_of_list(setup, kernel);
    }
    [[nodiscard]] LaunchShape shape_of_reduction(const Setup& setup, const KernelSetup& kernel, const RowRange&) const override {
        return shape_of_list(setup, kernel);
    }

    void add_kernels(Setup& setup, PhaseId, CollectionId agents, const Asked& asked, std::vector<KernelId>& kernels) const override {
        const auto& collection = setup.collections[agents];
        if (!asked.any() && !collection.agents->keeps_results && !collection.has(Role::refused_births)) return;
        kernels.push_back(manage_kernel(setup, agents, kind_of_moves()));
        if (!asked.births.empty()) kernels.push_back(manage_kernel(setup, agents, kind_of_children()));
        kernels.push_back(manage_kernel(setup, agents, kind_of_settled()));
    }

    [[nodiscard]] std::vector<std::string> explained(const Setup& setup, CollectionId agents, const std::string& bytes) const override {
        const auto& agents_setup = *setup.collections[agents].agents;
        return {fmt::format("in a list in the order of their ids, on {}, with room for {}: {} of memory",
                            setup.collections[agents_setup.ground].name, agents_setup.capacity, bytes),
                "one CPU makes the run: on GPUs and on several devices they stand in slots of places, or in the order of places"};
    }
};

} // namespace

const StorageKind& list_in_order_of_ids() {
    static const OrderedListOfAgents storage;
    return storage;
}

} // namespace tessera
