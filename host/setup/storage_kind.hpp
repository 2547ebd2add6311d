// How agents of a collection are stored: in slots of their places, or in a list. Of each way there is a class (host/storage), with the
// columns and the kernels that come with it.
#pragma once

#include "host/model/description.hpp"
#include "host/setup/ids.hpp"
#include "host/setup/launch_shape.hpp"
#include "host/setup/roles.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct Access;
struct RowRange;
struct CollectionSetup;
struct AgentsSetup;
struct KernelSetup;
struct Setup;

// What functions may have asked of a manageAll.
struct Asked {
    bool moves = false, dies = false;
    std::vector<std::size_t> births; // in AgentsSetup::sources

    [[nodiscard]] bool any() const noexcept { return moves || dies || !births.empty(); }
};

class StorageKind {
public:
    StorageKind() = default;
    StorageKind(const StorageKind&) = delete;
    StorageKind& operator=(const StorageKind&) = delete;
    virtual ~StorageKind() = default;

    // Whether agents stand in one list, whatever places they are on. Then columns of theirs have rows of the list, and a place has room for
    // any number of them.
    [[nodiscard]] virtual bool is_list() const noexcept = 0;
    // Whether devices can share its columns by rows of places; else the first device has all of them.
    [[nodiscard]] virtual bool has_rows_of_places() const noexcept = 0;
    // Of a list: whether it is in the order of ids and not of places.
    [[nodiscard]] virtual bool is_ordered() const noexcept { return false; }

    // A column of theirs has an element for each of `agents_a_cell` in each of so many cells; 0: in each place.
    [[nodiscard]] virtual int agents_a_cell(const AgentsSetup& agents) const noexcept = 0;
    [[nodiscard]] virtual std::int64_t cells(const AgentsSetup& agents) const noexcept = 0;
    // The type of codes of birth requests, for children of this kind; `offsets` is the number of places on which a parent may want them.
    [[nodiscard]] virtual Scalar type_of_birth_requests(int offsets) const noexcept = 0;

    // Its columns, of the row's members first. `agents` is that of the collection.
    virtual void add_columns(CollectionSetup& collection, const model::Row& row) const = 0;
    // Those of agents some of whose functions go anywhere.
    virtual void add_columns_of_goals(CollectionSetup& collection) const = 0;

    // The column from which one knows who stands on a place.
    [[nodiscard]] virtual Role presence() const noexcept = 0;
    // What a function of theirs reads of its own agent besides its code, mark and id.
    [[nodiscard]] virtual std::vector<Role> read_by_functions() const { return {}; }
    // What one writes that asks for a move to a place nearby, besides its code; nothing where the code is all.
    [[nodiscard]] virtual std::optional<Role> written_by_moves() const { return std::nullopt; }
    // What joining their shares reads besides that.
    [[nodiscard]] virtual std::vector<Role> read_by_shares() const { return {}; }
    // What who meets them reads besides their presence, ids and members.
    [[nodiscard]] virtual std::vector<Role> read_by_meetings() const { return {}; }
    // What adding up what they have reads besides their presence.
    [[nodiscard]] virtual std::vector<Role> read_by_reductions() const { return {}; }
    // Besides members, codes and ids, what is written where children come to be before the first step.
    [[nodiscard]] virtual std::vector<Role> written_by_first_births(const AgentsSetup& agents) const = 0;

    // Of a launch that makes these rows: of a function of theirs, and of one that adds up what they have.
    [[nodiscard]] virtual LaunchShape shape_of_function(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const = 0;
    [[nodiscard]] virtual LaunchShape shape_of_reduction(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const = 0;
    // The kernels of a manageAll, in their order, at the end of `kernels`.
    virtual void add_kernels(Setup& setup, PhaseId manage, CollectionId agents, const Asked& asked,
                             std::vector<KernelId>& kernels) const = 0;

    // What `--explain` says of how they stand in memory, some lines; `bytes` is how much that is.
    [[nodiscard]] virtual std::vector<std::string> explained(const Setup& setup, CollectionId agents, const std::string& bytes) const = 0;
};

} // namespace tessera
