#include "host/storage/slot_kinds.hpp"

#include "host/storage/accesses.hpp"
#include "kernels/agents/code_blocks.hpp"

#include <algorithm>

namespace tessera {
namespace {

std::size_t last_axis(const CollectionSetup& collection) { return static_cast<std::size_t>(collection.dimensions - 1); }

void add_members(const Setup& setup, CollectionId agents, std::vector<Access>& accesses) {
    for (std::size_t m = 0; m < setup.row_of(setup.collections[agents]).members.size(); ++m)
        accesses.push_back({setup.column_of(agents, m), changing()});
}

ColumnId claims_of(const Setup& setup, CollectionId agents) { return setup.column_of(agents, Role::claim); }

// What comes behind bids, of those who go anywhere.
void add_end_of_bids(const Setup& setup, CollectionId agents, std::vector<Access>& accesses) {
    const auto& collection = setup.collections[agents];
    if (collection.has(Role::goal)) accesses.push_back({claims_of(setup, agents), reading_everywhere(collection)});
}

// ---- a launch over codes

// Blocks of a GPU and lines of a CPU that go over the planes of some columns of codes.
class CodePlanes {
public:
    CodePlanes(const CollectionSetup& collection, const RowRange& rows)
        : collection_(collection), rows_(rows), lines_(rows.rows() * (collection.dimensions == 3 ? collection.size[1] : 1)),
          cells_a_block_(agent_threads * cells_a_thread(collection.places())) {
        shape_.block = {static_cast<unsigned>(agent_threads), 1, 1};
        shape_.grid = {0, 1, 1};
        shape_.items = 0;
    }
    void add(const Layout& codes) {
        const auto cells = rows_.rows() * (collection_.dimensions == 3 ? codes.plane : codes.row);
        shape_.items += codes.elements * lines_;
        shape_.grid[0] += static_cast<unsigned>(codes.elements * ((cells + cells_a_block_ - 1) / cells_a_block_));
    }
    // Of all slots a block has one tile; of those in which somebody is, several.
    [[nodiscard]] LaunchShape shape(bool of_all_slots) const {
        auto shape = shape_;
        const auto tiles = static_cast<std::int64_t>(shape.grid[0]), together = of_all_slots ? 1 : tiles_a_block(tiles);
        shape.grid[0] = static_cast<unsigned>((tiles + together - 1) / together);
        return shape;
    }

private:
    const CollectionSetup& collection_;
    RowRange rows_;
    std::int64_t lines_, cells_a_block_;
    LaunchShape shape_;
};

LaunchShape shape_of_codes(const Setup& setup, const KernelSetup& kernel, const RowRange& rows, bool of_all_slots) {
    CodePlanes planes(setup.collections[kernel.collection], rows);
    planes.add(setup[setup.codes_of(kernel.collection)].layout);
    return planes.shape(of_all_slots);
}

// ---- who goes

class MoveRequests : public KernelKind {
public:
    [[nodiscard]] const char* name() const noexcept override { return "move_requests"; }
    [[nodiscard]] Turn turn() const noexcept override { return Turn::moves; }
    [[nodiscard]] std::string explained() const override { return "one over agents that want to move, each looking for its rivals"; }
    [[nodiscard]] std::string entry(const Setup&, const KernelSetup&) const override { return "settle_move_requests"; }
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        return shape_of_slots(setup, kernel, rows);
    }
    [[nodiscard]] int sights() const noexcept override { return 2; } // rivals are as far again
    [[nodiscard]] bool is_of_moves() const noexcept override { return true; }

    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        const auto agents = kernel.collection;
        const auto& collection = setup.collections[agents];
        const auto moves = moves_of(*collection.agents), rivals = moves + moves, seen = moves + meetings_of(*collection.agents);
        std::vector<Access> accesses;
        add_members(setup, agents, accesses);
        accesses.push_back({setup.codes_of(agents), reading(collection, rivals)});
        accesses.push_back({setup.marks_of(agents), reading(collection, further(rivals, seen)), true});
        accesses.push_back({setup.ids_of(agents), changing()});
        return accesses;
    }

    [[nodiscard]] int rows_beyond(const Setup& setup, const KernelSetup& kernel) const override {
        const auto& collection = setup.collections[kernel.collection];
        return std::max(collection.agents->low[last_axis(collection)], collection.agents->high[last_axis(collection)]);
    }
    // Ids are seen as far as codes.
    [[nodiscard]] ColumnId seen_as(const Setup& setup, const KernelSetup&, ColumnId column) const override {
        return setup[column].role == Role::id ? setup.codes_of(setup.columns[column].collection) : column;
    }
    [[nodiscard]] bool is_only_written(const Setup& setup, const KernelSetup&, ColumnId column) const override {
        return setup[column].role == Role::mark;
    }
};

// Agents may bid for any place. So bids wait for three things: the functions, the removal of earlier claims and, in later rounds, the
// grants of the round before. Functions, the settling of slots and grants all write marks, which bids read. Where a place has one slot,
// bids read no marks; grants then wait for the functions because they wait for the bids. Grants are declared as writing claims, so that
// they wait for all bids. What removes claims waits for the grants. Bids do not wait for each other, and neither do grants.
class Bids : public KernelKind {
public:
    enum class Part { bid, grant };
    Bids(Part part, const char* name, const char* explained) : part_(part), name_(name), explained_(explained) {}

    [[nodiscard]] const char* name() const noexcept override { return name_; }
    [[nodiscard]] Number number() const noexcept override { return Number::round; }
    [[nodiscard]] Turn turn() const noexcept override { return Turn::moves; }
    [[nodiscard]] std::string explained() const override { return explained_; }
    [[nodiscard]] std::string entry(const Setup&, const KernelSetup&) const override { return name_; }
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        return shape_of_slots(setup, kernel, rows);
    }

    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        const auto agents = kernel.collection;
        const auto& collection = setup.collections[agents];
        const auto own = reading(collection, {}), everywhere = reading_everywhere(collection);
        const bool grants = part_ == Part::grant;
        std::vector<Access> accesses;
        if (grants) add_members(setup, agents, accesses);
        accesses.push_back({setup.codes_of(agents), own});
        if (grants || collection.agents->capacity > 1) accesses.push_back({setup.marks_of(agents), grants ? changing() : everywhere});
        accesses.push_back({setup.ids_of(agents), grants ? changing() : own});
        accesses.push_back({setup.column_of(agents, Role::goal), own});
        accesses.push_back({claims_of(setup, agents), grants ? changing() : everywhere});
        return accesses;
    }

private:
    Part part_;
    const char *name_, *explained_;
};

// ---- who is born

class ForgottenBirths : public KernelKind {
public:
    [[nodiscard]] const char* name() const noexcept override { return "forget_refused_births"; }
    [[nodiscard]] Turn turn() const noexcept override { return Turn::moves; }
    [[nodiscard]] std::string explained() const override { return "one over all slots, which resets the numbers of refused births"; }
    [[nodiscard]] std::string entry(const Setup&, const KernelSetup&) const override { return name(); }
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        return shape_of_codes(setup, kernel, rows, true);
    }
    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        return {{setup.column_of(kernel.collection, Role::refused_births), changing()}};
    }
};

class Births : public KernelKind {
public:
    [[nodiscard]] const char* name() const noexcept override { return "births"; }
    [[nodiscard]] Number number() const noexcept override { return Number::source; }
    [[nodiscard]] Turn turn() const noexcept override { return Turn::births; }
    [[nodiscard]] std::string explained() const override { return "one over the requested children"; }
    [[nodiscard]] std::string entry(const Setup&, const KernelSetup&) const override { return "settle_births"; }
    [[nodiscard]] bool tells_parents() const noexcept override { return true; }

    // Over the birth requests of the source.
    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        const auto& collection = setup.collections[kernel.collection];
        CodePlanes planes(collection, rows);
        planes.add(setup[setup.column_of(kernel.collection, source_of(setup, kernel).column)].layout);
        return planes.shape(false);
    }

    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        const auto agents = kernel.collection;
        const auto& collection = setup.collections[agents];
        const auto& agents_setup = *collection.agents;
        const auto moves = moves_of(agents_setup), births = births_of(source_of(setup, kernel));
        std::vector<Access> accesses;
        add_members(setup, agents, accesses);
        accesses.push_back({setup.codes_of(agents), reading(collection, births)});
        accesses.push_back({setup.marks_of(agents), reading(collection, births + meetings_of(agents_setup)), true});
        // Who has left is written over: those who are to find out by its id whether they come before it must have done so.
        accesses.push_back({setup.ids_of(agents), reading(collection, births + (moves + moves)), true});
        for (auto c = setup.ids_of(agents).index() + 1; c < collection.first_column.index() + collection.columns.size(); ++c)
            if (setup[ColumnId(c)].role != Role::refused_births)
                accesses.push_back({ColumnId(c), reading(collection, births + births_of(agents_setup))});
        add_end_of_bids(setup, agents, accesses);
        add_told_parents(setup, kernel, accesses);
        return accesses;
    }

    [[nodiscard]] int rows_beyond(const Setup& setup, const KernelSetup& kernel) const override {
        const auto axis = last_axis(setup.collections[kernel.collection]);
        const auto& source = source_of(setup, kernel);
        return std::max({source.low[axis], source.high[axis], rows_gone(setup, kernel)});
    }
    // From how far parents may come who are told.
    [[nodiscard]] int rows_gone(const Setup& setup, const KernelSetup& kernel) const override {
        const auto& source = source_of(setup, kernel);
        if (!setup.tells_parents(source)) return 0;
        const auto& parents = setup.collections[source.parents];
        const auto axis = last_axis(parents);
        if (axis == 0) return 0; // a line is not cut
        return std::max(parents.agents->low[axis], parents.agents->high[axis]);
    }
    // Marks are seen as far as codes.
    [[nodiscard]] ColumnId seen_as(const Setup& setup, const KernelSetup&, ColumnId column) const override {
        return setup[column].role == Role::mark ? setup.codes_of(setup.columns[column].collection) : column;
    }
    [[nodiscard]] bool is_only_written(const Setup& setup, const KernelSetup& kernel, ColumnId column) const override {
        const auto role = setup[column].role;
        const bool is_own = setup.columns[column].collection == kernel.collection;
        return role == Role::refused_births || role == Role::id || (is_own && role == Role::member);
    }

private:
    [[nodiscard]] static const BirthSource& source_of(const Setup& setup, const KernelSetup& kernel) {
        return setup.collections[kernel.collection].agents->sources[kernel.source];
    }
};

// ---- what becomes of each slot

class Slots : public KernelKind {
public:
    Slots(const char* name, bool marks, bool birth_requests) : name_(name), marks_(marks), birth_requests_(birth_requests) {}

    [[nodiscard]] const char* name() const noexcept override { return name_; }
    [[nodiscard]] std::string explained() const override {
        return birth_requests_ ? "one over all slots and all birth requests" : "one over all slots";
    }
    [[nodiscard]] std::string entry(const Setup&, const KernelSetup&) const override { return "settle_slots"; }
    [[nodiscard]] bool is_of_moves() const noexcept override { return marks_; }
    [[nodiscard]] bool forgets_birth_requests() const noexcept override { return birth_requests_; }

    [[nodiscard]] LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const override {
        const auto& collection = setup.collections[kernel.collection];
        CodePlanes planes(collection, rows);
        planes.add(setup[setup.codes_of(kernel.collection)].layout);
        if (birth_requests_)
            for (const auto& source : collection.agents->sources)
                planes.add(setup[setup.column_of(kernel.collection, source.column)].layout);
        return planes.shape(true);
    }

    [[nodiscard]] std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const override {
        const auto agents = kernel.collection;
        std::vector<Access> accesses{{setup.codes_of(agents), changing()}};
        if (marks_) accesses.push_back({setup.marks_of(agents), changing()});
        if (birth_requests_)
            for (const auto& source : setup.collections[agents].agents->sources)
                accesses.push_back({setup.column_of(agents, source.column), changing()});
        if (marks_) add_claims_taken_back(setup, agents, accesses);
        return accesses;
    }

private:
    const char* name_;
    bool marks_, birth_requests_;
};

} // namespace

LaunchShape shape_of_slots(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) {
    return shape_of_codes(setup, kernel, rows, false);
}

const KernelKind& kind_of_move_requests() {
    static const MoveRequests kind;
    return kind;
}
const KernelKind& kind_of_bids() {
    static const Bids kind(Bids::Part::bid, "bid_for_places", "one in which agents that go anywhere bid");
    return kind;
}
const KernelKind& kind_of_granted_bids() {
    static const Bids kind(Bids::Part::grant, "grant_bids", "one that moves the agents with the lowest bids");
    return kind;
}
const KernelKind& kind_of_forgotten_births() {
    static const ForgottenBirths kind;
    return kind;
}
const KernelKind& kind_of_births() {
    static const Births kind;
    return kind;
}
const KernelKind& kind_of_slots() {
    static const Slots kind("slots", false, false);
    return kind;
}
const KernelKind& kind_of_marked_slots() {
    static const Slots kind("marked_slots", true, false);
    return kind;
}
const KernelKind& kind_of_slots_and_birth_requests() {
    static const Slots kind("slots_and_birth_requests", true, true);
    return kind;
}

} // namespace tessera
