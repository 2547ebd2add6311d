// What a run will do, with every name of the run file resolved against the model: collections, parameters, phases, kernels.
// Everything that can be refused before work starts is refused while this is made.
#pragma once

#include "host/model/model.hpp"
#include "host/run_file/choices.hpp"
#include "host/run_file/expression.hpp"
#include "host/run_file/qualified_name.hpp"
#include "host/run_file/timing.hpp"
#include "host/run_file/where.hpp"
#include "host/setup/agenda.hpp"
#include "host/setup/distribution.hpp"
#include "host/setup/ids.hpp"
#include "host/setup/kernel_kind.hpp"
#include "host/setup/layout.hpp"
#include "host/setup/modes.hpp"
#include "host/setup/roles.hpp"
#include "host/setup/start.hpp"
#include "host/setup/storage_kind.hpp"
#include "host/setup/values.hpp"
#include "host/setup/wishes.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace tessera {

// A member's column in a collection.
struct ColumnSetup {
    Role role = Role::member;
    Layout layout;
    bool has_spare = false;         // a function reads it around itself and writes it: it needs a second buffer
    int planes = 1;                 // of what is under way: for so many steps, one after the other
    std::int64_t cells = 0;         // how many there are, one after the other, of what is no grid's; 0: one a place
    std::vector<std::byte> outside; // the value of the ghosts of fixed axes
    std::vector<std::byte> missing; // of the ghosts of open axes, also where a fixed axis is outside too: the member's default
};

// A phase whose function may want children of a collection of agents, and its birth requests, in columns of that collection:
// the birth requests' codes, the parents' ids where these are agents, and the members (kernels/agents/births.hpp).
struct BirthSource {
    PhaseId phase;
    CollectionId parents; // agents, or the places on which the children stand
    bool of_places = false;
    bool in_list = false;             // of parents in a list
    int slots = 1, calls = 1;         // of parents on a place, or for which there is room in a list; and children of a call
    std::array<int, 3> low{}, high{}; // how far away they are wanted
    std::size_t column = 0;           // the first, in CollectionSetup::columns
    // Where it is kept which birth requests there are, likewise: of children in a list in the order of ids, and of places.
    std::optional<std::size_t> log{}, flags{};

    [[nodiscard]] int offsets() const noexcept { // in the box that holds all
        return (low[0] + high[0] + 1) * (low[1] + high[1] + 1) * (low[2] + high[2] + 1);
    }
};

// What agents in space have: the type of their positions, and where space ends along each axis, as that type has it; 0 along no axis.
struct SpaceSetup {
    Scalar number = Scalar::f32;
    std::array<double, 3> extent{};
};

// Agents in slots, or in a list: what a collection of them is besides its columns, which stand on the grid of the places below. Behind
// those of the members come the slots' codes, marks and ids (kernels/agents/collection.hpp), and the birth requests.
struct AgentsSetup {
    CollectionId ground;
    const StorageKind* storage = nullptr;
    std::optional<SpaceSetup> space;
    int capacity = 1;      // slots of a place; or for how many there is room in a list
    int most_on_place = 1; // 0: any number
    run_file::Priority priority{};
    run_file::EdgeRule on_edge{};
    bool keeps_results = false;               // a function asks what became of its move request
    std::array<int, 3> low{}, high{};         // how far any function that is called wants to go, on each axis
    std::array<int, 3> met_low{}, met_high{}; // how far from itself any function meets them
    std::vector<BirthSource> sources;         // in the order of their phases
    std::vector<PhaseId> birth_phases;        // the phases manageAll in which they may be born
    // Of each member of the places below that several agents of one may add to, lower or raise: where each leaves its share, in
    // CollectionSetup::columns. 0: nowhere, for it is done at once.
    std::vector<std::size_t> shares{};

    [[nodiscard]] bool in_list() const noexcept { return storage->is_list(); }
    [[nodiscard]] bool is_limited() const noexcept { return most_on_place > 0; }
    [[nodiscard]] int offsets() const noexcept { // in the box that holds all move requests
        return (low[0] + high[0] + 1) * (low[1] + high[1] + 1) * (low[2] + high[2] + 1);
    }
};

// Where a list of links stands: for each place where its links begin, and of each link the place at the other end. `columns` are in
// CollectionSetup::columns.
struct LinkList {
    model::LinkSide side = model::LinkSide::both;
    std::size_t start = 0, other = 0;
    // Of the row, in the order of the list: member, column. Of links whose members change, the members' own columns, in which each link of
    // the list is found by its number; which is its place in the list where there is no column of them.
    std::vector<std::pair<std::size_t, std::size_t>> members;
    std::optional<std::size_t> number{};
};

// A phase whose function may want links, and what it wants, in columns of their collection: for each author how many, and behind that, for
// each that a call may want, where it comes from, where it leads to, and the members; and of agents, the ids of the authors.
struct LinkSource {
    PhaseId phase;
    CollectionId authors; // places, or agents
    int calls = 1;
    std::size_t column = 0; // the first, in CollectionSetup::columns
};

// Links, each of which is a row of its collection, in the order of where it leads to, where it comes from, and its age.
struct LinksSetup {
    CollectionId from, to; // places
    bool is_directed = false, parallel = false, loops = false;
    // Whether the model has functions that write to their members; and whether they are born or die in steps. Then `count` of the
    // collection is for how many there is room, and a column says how many there are (Role::link_count): those behind them come from place
    // -1.
    bool members_change = false, changes = false;
    std::vector<LinkList> lists;     // those that functions of the model go along
    std::vector<LinkSource> sources; // in the order of their phases

    [[nodiscard]] const LinkList* find(model::LinkSide side) const noexcept {
        for (const auto& list : lists)
            if (list.side == side) return &list;
        return nullptr;
    }
};

// A member of places to which functions send along links. The column holds what is not there yet: in planes, for what is due in each of so
// many steps, of so many words of 8 bytes.
struct SentMember {
    std::size_t member = 0, column = 0; // in Row::members, and in CollectionSetup::columns
    model::SentAs as = model::SentAs::sum;
};

struct CollectionSetup {
    std::string name;
    run_file::Where where;      // of its name
    run_file::Where size_where; // of the size of places; of agents as `where`
    std::size_t row = 0;        // in Description::rows
    ColumnId first_column;      // of its columns among those of all collections
    int dimensions = 2;
    Extents size{1, 1, 1};
    std::array<run_file::Boundary, 3> boundary{};
    std::vector<ColumnSetup> columns;  // one a member of the row; of agents also those of AgentsSetup
    std::vector<model::Member> stored; // what each column holds of a place: of agents, the values of all slots
    std::optional<AgentsSetup> agents;
    std::optional<LinksSetup> links;
    std::vector<SentMember> sent; // of places
    // Of places without a shape, and of links: how many there are. They stand in rows of run_file::row_of_count, the last of which may be
    // short.
    std::optional<std::int64_t> count{};

    [[nodiscard]] bool are_places() const noexcept { return !agents && !links; }
    [[nodiscard]] bool are_changing_links() const noexcept { return links && links->changes; }
    // That a manageAll can change.
    [[nodiscard]] bool is_managed() const noexcept { return agents || are_changing_links(); }
    [[nodiscard]] bool has_shape() const noexcept { return !count; }
    // As those see it who look at its values: one that has no shape is a line.
    [[nodiscard]] int seen_dimensions() const noexcept { return count ? 1 : dimensions; }
    [[nodiscard]] Extents seen_size() const noexcept { return count ? Extents{*count, 1, 1} : size; }
    // The number of the first place of a row of the last axis, or, behind the last row, of places.
    [[nodiscard]] std::int64_t first_of_row(std::int64_t number) const noexcept {
        return std::min(number * size[0] * (dimensions == 3 ? size[1] : 1), places());
    }

    // The first column of a role, in `columns`.
    [[nodiscard]] std::optional<std::size_t> find_column(Role role) const noexcept {
        for (std::size_t c = 0; c < columns.size(); ++c)
            if (columns[c].role == role) return c;
        return std::nullopt;
    }
    [[nodiscard]] bool has(Role role) const noexcept { return find_column(role).has_value(); }
    [[nodiscard]] std::int64_t places() const noexcept { return count ? *count : size[0] * size[1] * size[2]; }
    [[nodiscard]] RowRange whole() const noexcept { return {0, dimensions == 3 ? size[2] : size[1]}; }
    // Of a column, before the first row of the last axis and behind its last. A line has no rows beside it.
    [[nodiscard]] int ghost_rows(const ColumnSetup& column) const noexcept {
        return dimensions == 1 ? 0 : column.layout.ghost[static_cast<std::size_t>(dimensions - 1)];
    }
};

// A column and how a kernel uses it.
struct Access {
    ColumnId column;
    model::Use use;
    // Written besides what the use says, where nobody looks who is not made to wait by other columns: nobody waits for it, but whoever
    // copies the column has to know (host/storage/slots.cpp).
    bool also_written = false;
};

// Of all slots: what becomes of them at the end of a manageAll, without a look at the marks of who moved, or with one.
enum class SlotWork { none, unmarked, marked };

// A function of a collection that the run calls, or what the engine does for one.
struct KernelSetup {
    CollectionId collection;
    std::size_t function = 0;     // in Description::functions
    std::string symbol;           // of its entry point in the image: "tessera_4_cell_tick"
    std::string name;             // "cell.tick"
    std::vector<Access> accesses; // the columns that it names, and no others; their order is that of its arguments
    const KernelKind* kind = &kind_of_functions();
    std::size_t source = 0;       // of birth requests, in AgentsSetup::sources
    int round = 0;                // of bids
    std::optional<PhaseId> phase; // of a function that wants children, or links, in phases: there is a kernel for each
    ReductionId reduction{};      // of a reduction
    // Of a function of agents: whether it settles the slots for the manageAll before it, and removes the dead for the one after it.
    SlotWork settles = SlotWork::none;
    bool buries = false;
    // Of arrivals: the members of its places that become what is due, and whether no phase behind it in the step sends to them.
    struct Arrival {
        std::size_t sent = 0; // in CollectionSetup::sent
        bool is_last = false;
    };
    std::vector<Arrival> arrivals{};
    // Of a function of agents in a list: that it finds where each will be for the manageAll behind it, where one device makes the run.
    bool finds_targets = false;

    [[nodiscard]] bool is_function() const noexcept { return kind->purpose() == KernelKind::Purpose::function; }
    [[nodiscard]] bool is_of_arrivals() const noexcept { return kind->purpose() == KernelKind::Purpose::arrivals; }
    [[nodiscard]] bool is_reduction() const noexcept { return kind->purpose() == KernelKind::Purpose::reduction; }
    [[nodiscard]] bool is_of_manage_all() const noexcept { return kind->purpose() == KernelKind::Purpose::manage; }
};

// What a phase `reduce` makes, or what a repeat asks before each round. Reduces of the same expressions are one.
struct ReductionSetup {
    struct Value {
        std::optional<std::size_t> target; // in Description::values; none: it is a question
        run_file::Located<expression::Expression> expression;
    };
    // A sum, mean, min, max or count in it (kernels/reduce/reduction.hpp).
    struct Part {
        std::size_t value = 0; // in `values`
        int node = 0;          // in its expression
        CollectionId collection;
        bool of_reals = false; // its elements are doubles, else integers
        int first_word = 0;
    };
    std::vector<Value> values;
    std::vector<Part> parts;
    std::vector<KernelId> kernels; // which add up, one a collection
    std::string name, symbol;      // "total, alive"; of the entry point that joins what all partitions have
    int words = 0;                 // of all parts
};

struct CallPhase {
    KernelId kernel;
    std::optional<KernelId> shares; // what is to be done behind it, of places that several agents add to
    // Likewise of places to which it sends along links, one a collection: in each step, also in those in which it is not called.
    std::vector<KernelId> arrivals{};
};
struct ExchangePhase {
    std::vector<CollectionId> collections;
};
struct ManagePhase {
    std::vector<KernelId> kernels; // of each collection in turn those that are needed
    std::vector<CollectionId> collections;
    std::vector<KernelId> with; // functions before or behind it that go over the agents for it
    // Of `kernels`: those that one of these functions makes where one device makes the run.
    std::vector<KernelId> made_by_functions;
};
struct RotatePhase {
    CollectionId collection;
    std::vector<ColumnId> columns; // each takes the values of the one before it
};

struct ReducePhase {
    ReductionId reduction;
};
// Before each round of a repeat, and behind its last: where the answer is yes, the phases from `behind` on are next.
struct UntilPhase {
    ReductionId question;
    PhaseId behind;
    bool is_last = false;
};

struct PhaseSetup {
    std::variant<CallPhase, ExchangePhase, ManagePhase, RotatePhase, ReducePhase, UntilPhase> action;
    run_file::Timing timing;
    std::string name; // "callAll cell.tick"
    run_file::Where where;
    int call_in_step = 0;               // its index among the step's calls of its function, or among the step's manageAll
    std::optional<PhaseId> first_round; // of a later round of a repeat: the phase that it repeats
    std::uint64_t rounds = 1;           // at most, of the repeat that it stands in
    // Of a phase in a repeat that may end before: only where the same round of it is made, this is.
    std::optional<run_file::Round> perhaps_round;

    // Whether something of it is done in each step, whether or not it is made then.
    [[nodiscard]] bool is_in_each_step() const noexcept {
        const auto* call = std::get_if<CallPhase>(&action);
        return call != nullptr && !call->arrivals.empty();
    }
};

// Where a column stands in Setup.
struct ColumnPlace {
    CollectionId collection;
    std::size_t member = 0; // in Row::members and CollectionSetup::columns
};

// Which of a model's functions get kernels: those that phases call; all; or all of a model by itself, whose run file says more.
enum class Functions { called, all, of_model };

// What a run does, and how (bind), and where (arranged, host/distribution/arranged.hpp). Afterwards it is only read. Of what a run file
// says each part stands by itself, in the words of the run: nobody who has a setup knows a run file.
struct Setup {
    Setup() = default;
    Setup(Modes modes, Functions functions) : modes_(std::move(modes)), functions_(functions) {}

    const model::Model* model = nullptr;
    Agenda agenda;
    Values values;
    Wishes wishes;
    Start start;
    Table<CollectionSetup> collections;
    Table<ColumnPlace> columns; // of all collections, one after the other
    Table<KernelSetup> kernels;
    Table<PhaseSetup> phases;
    Table<ReductionSetup> reductions;
    std::vector<KernelId> init_kernels; // in the order in which they run
    // About so much of the columns the host holds to write, read, hash or sum them: larger ones go through it in pieces.
    std::size_t bytes_at_a_time = std::size_t{256} << 20;
    std::string run_text; // of the run file, with every default: for libraries, and for messages on what differs

    [[nodiscard]] const model::Description& description() const noexcept { return model->description; }
    [[nodiscard]] const model::Row& row_of(const CollectionSetup& collection) const { return description().rows[collection.row]; }
    [[nodiscard]] const model::Function& function_of(const KernelSetup& kernel) const { return description().functions[kernel.function]; }
    [[nodiscard]] std::optional<CollectionId> find_collection(const std::string& name) const;

    [[nodiscard]] ColumnId column_of(CollectionId collection, std::size_t member) const {
        return ColumnId(collections[collection].first_column.index() + member);
    }
    [[nodiscard]] ColumnSetup& operator[](ColumnId column);
    [[nodiscard]] const ColumnSetup& operator[](ColumnId column) const;
    [[nodiscard]] const model::Member& member_of(ColumnId column) const;
    [[nodiscard]] std::string name_of(ColumnId column) const; // "cell.alive"
    // The column of a role; it has to be there.
    [[nodiscard]] ColumnId column_of(CollectionId collection, Role role) const {
        return column_of(collection, collections[collection].find_column(role).value());
    }
    [[nodiscard]] std::optional<ColumnId> find_column(CollectionId collection, Role role) const {
        const auto column = collections[collection].find_column(role);
        return column ? std::optional(column_of(collection, *column)) : std::nullopt;
    }
    [[nodiscard]] ColumnId codes_of(CollectionId agents) const { return column_of(agents, Role::code); }
    [[nodiscard]] ColumnId marks_of(CollectionId agents) const { return column_of(agents, Role::mark); }
    [[nodiscard]] ColumnId ids_of(CollectionId agents) const { return column_of(agents, Role::id); }
    // In a list: on which place each stands, and where each place's begin.
    [[nodiscard]] ColumnId places_of(CollectionId agents) const { return column_of(agents, Role::place); }
    [[nodiscard]] ColumnId starts_of(CollectionId agents) const { return column_of(agents, Role::start); }
    [[nodiscard]] ColumnId arrivals_of(CollectionId agents) const { return column_of(agents, Role::arrival); }
    // Of agents in space: their positions, and where they want to go.
    [[nodiscard]] ColumnId positions_of(CollectionId agents) const { return column_of(agents, Role::position); }
    [[nodiscard]] ColumnId aims_of(CollectionId agents) const { return column_of(agents, Role::aim); }
    // Whether parents are to know which births of a source are refused.
    [[nodiscard]] bool tells_parents(const BirthSource& source) const {
        return !source.of_places && collections[source.parents].has(Role::refused_births);
    }
    [[nodiscard]] bool has_agents() const noexcept { return !collections.empty() && collections.back().agents.has_value(); }
    [[nodiscard]] bool has_links() const noexcept {
        for (const auto& collection : collections)
            if (collection.links) return true;
        return false;
    }
    [[nodiscard]] bool has_sent() const noexcept {
        for (const auto& collection : collections)
            if (!collection.sent.empty()) return true;
        return false;
    }
    // Whether a function is carried out place by place, for they have numbers and no positions, or it goes along links, or is of links.
    [[nodiscard]] bool goes_by_numbers(const KernelSetup& kernel) const {
        return kernel.is_function() && !collections[kernel.collection].agents &&
               (collections[kernel.collection].count || function_of(kernel).has_to_do_with_links());
    }
    // Whether a step may have phases of which only the state tells whether they are made.
    [[nodiscard]] bool asks_state() const noexcept;
    [[nodiscard]] bool asks_state_in(std::uint64_t step) const noexcept;
    // Words of 8 bytes that stand at a partition's step counter (kernels/launch/arguments.hpp): at first the number of the step
    // and its values, then a row of uniforms for each step that is queued, and then of each reduction the words of all partitions, one
    // after the other.
    [[nodiscard]] std::size_t step_words() const noexcept { return first_word_of(ReductionId(reductions.size())); }
    [[nodiscard]] std::size_t first_word_of(ReductionId reduction) const noexcept;
    // The places that agents of a collection stand on; of places, themselves.
    [[nodiscard]] CollectionId ground_of(CollectionId id) const { return collections[id].agents ? collections[id].agents->ground : id; }
    // Places come first. Where there are no agents: the number of collections.
    [[nodiscard]] CollectionId first_agents_id() const noexcept;
    // Those that a manageAll keeps records of: agents, and in front of them links.
    [[nodiscard]] bool has_records() const noexcept { return has_agents() || has_links(); }
    [[nodiscard]] CollectionId first_recorded_id() const noexcept;
    // Whether a kernel is of agents, or of places and has to do with agents, or a part of a manageAll.
    [[nodiscard]] bool is_among_agents(const KernelSetup& kernel) const {
        return collections[kernel.collection].agents || kernel.is_of_manage_all() ||
               (!kernel.is_reduction() && !function_of(kernel).agent_uses.empty());
    }
    // The agents of a row that stand on a collection of places, or with agents on the same ones.
    [[nodiscard]] std::optional<CollectionId> agents_of_row(std::size_t row, CollectionId among) const;
    // The agents in lists that an init function of places puts there before the first step.
    [[nodiscard]] std::vector<CollectionId> lists_with_first_children(const KernelSetup& kernel) const;
    // When children of these agents may be born: each such time has a number in their ids.
    [[nodiscard]] std::vector<run_file::Timing> births_of(CollectionId agents) const;
    // Whether the run file gives a member's first values, by `init` or by a file of agents: init functions leave those alone.
    [[nodiscard]] bool is_given(CollectionId collection, std::size_t member) const;

    // Bytes that the columns take on the device.
    [[nodiscard]] std::int64_t column_bytes() const noexcept;

    [[nodiscard]] const Modes& modes() const noexcept { return modes_; }
    [[nodiscard]] Functions functions() const noexcept { return functions_; }
    [[nodiscard]] const Distribution& distribution() const noexcept { return distribution_; }

    // Devices that the run is divided over, and what one of them makes of a collection.
    [[nodiscard]] std::size_t partitions() const noexcept { return distribution_.partitions(); }
    [[nodiscard]] RowRange stripe(CollectionId collection, std::size_t partition) const {
        return partitions() == 1 ? collections[collection].whole() : distribution_.stripes[collection.index()][partition];
    }
    [[nodiscard]] bool own_memory() const noexcept { return distribution_.own_memory; }
    [[nodiscard]] bool reaches(std::size_t partition, std::size_t other) const { return distribution_.reaches(partition, other); }
    // Whether a call makes some of the rows; else kernels are compiled for the whole grid.
    [[nodiscard]] bool in_bands() const noexcept { return partitions() > 1; }
    // The kernels that are launched for a manageAll.
    [[nodiscard]] std::vector<KernelId> launched_for(const ManagePhase& manage) const;
    // What stands for a partition (Touch::in_of) where the rows on their way to it from another island are meant.
    [[nodiscard]] std::size_t staging_of(std::size_t partition) const noexcept { return partitions() + partition; }

private:
    Modes modes_;
    Functions functions_ = Functions::called;
    Distribution distribution_;

    friend Setup arranged(Setup setup, Distribution distribution);
};

// For how many children a source's birth requests have room.
[[nodiscard]] std::int64_t birth_requests_of(const CollectionSetup& children, const BirthSource& source) noexcept;

// The collections of links along which a function of places of a collection would go: of a setup that is bound, one.
[[nodiscard]] std::vector<CollectionId> links_at(const Setup& setup, CollectionId places, const model::LinkUse& use);

// How a kernel uses each column of its own collection, whether it names it or not.
[[nodiscard]] std::vector<model::Use> own_uses(const Setup& setup, const KernelSetup& kernel);

// How many agents of a collection there are before the first step.
[[nodiscard]] std::uint64_t first_count(const Setup& setup, CollectionId agents);

} // namespace tessera
