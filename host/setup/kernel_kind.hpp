// What a kernel carries out: a function of the model, or something that the engine does for one. Of each kind there is a class, with all
// that the host knows of it; those of agents come with the way in which these are stored (host/storage).
#pragma once

#include "host/setup/ids.hpp"
#include "host/setup/launch_shape.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct Access;
struct RowRange;
struct KernelSetup;
struct Setup;
enum class ListWork : std::uint64_t;

class KernelKind {
public:
    enum class Purpose { function, shares, arrivals, manage, reduction };
    // What a kind of kernel has one of for each of: itself, the sources of children, the rounds of bids.
    enum class Number { one, source, round };
    // Of a part of manageAll: when its turn comes, where one is of several collections.
    enum class Turn { moves, births, settles };

    KernelKind() = default;
    KernelKind(const KernelKind&) = delete;
    KernelKind& operator=(const KernelKind&) = delete;
    virtual ~KernelKind() = default;

    [[nodiscard]] virtual Purpose purpose() const noexcept { return Purpose::manage; }
    // In the symbol of its entry point.
    [[nodiscard]] virtual const char* name() const noexcept = 0;
    [[nodiscard]] virtual Number number() const noexcept { return Number::one; }
    [[nodiscard]] virtual Turn turn() const noexcept { return Turn::settles; }
    // What `--explain` says of it, behind "manageAll: "; empty: nothing.
    [[nodiscard]] virtual std::string explained() const { return {}; }

    // Of kernels among agents (Setup::is_among_agents).
    // The function of kernels/agents that it is made of.
    [[nodiscard]] virtual std::string entry(const Setup& setup, const KernelSetup& kernel) const;
    // Of a launch that makes these rows.
    [[nodiscard]] virtual LaunchShape shape(const Setup& setup, const KernelSetup& kernel, const RowRange& rows) const;
    // Of a part of manageAll: the columns that it uses, in the order of its arguments.
    [[nodiscard]] virtual std::vector<Access> accesses(const Setup& setup, const KernelSetup& kernel) const;
    // How many times as far as its agents go it looks.
    [[nodiscard]] virtual int sights() const noexcept { return 1; }
    // Whether marks of who goes are there when it is made, and whether it forgets birth requests: what kernels are told as `moves` and
    // `spawns`.
    [[nodiscard]] virtual bool is_of_moves() const noexcept { return false; }
    [[nodiscard]] virtual bool forgets_birth_requests() const noexcept { return false; }
    // Whether it decides about births, of which parents may be told.
    [[nodiscard]] virtual bool tells_parents() const noexcept { return false; }
    // Of what is compiled with the program, and not with each model (host/manage): which part of a manageAll it is.
    [[nodiscard]] virtual std::optional<ListWork> list_work() const noexcept { return std::nullopt; }
    // Whether one device makes it for all rows.
    [[nodiscard]] virtual bool is_of_all_rows() const noexcept { return false; }

    // Where partitions have memory of their own: so many rows beyond its stripe each settles too; how far it sees a column of its rows, as
    // which other one; and what it writes without having seen it (host/setup/seams.hpp).
    [[nodiscard]] virtual int rows_beyond(const Setup& setup, const KernelSetup& kernel) const;
    [[nodiscard]] virtual int rows_gone(const Setup& setup, const KernelSetup& kernel) const;
    [[nodiscard]] virtual ColumnId seen_as(const Setup& setup, const KernelSetup& kernel, ColumnId column) const;
    [[nodiscard]] virtual bool is_only_written(const Setup& setup, const KernelSetup& kernel, ColumnId column) const;
};

// A function of the model.
[[nodiscard]] const KernelKind& kind_of_functions();
// What becomes of places for which the agents of a function have left shares.
[[nodiscard]] const KernelKind& kind_of_shares();
// What becomes of places to which a function has sent along links.
[[nodiscard]] const KernelKind& kind_of_arrivals();
// Adding up what a partition has of a collection, for a reduce.
[[nodiscard]] const KernelKind& kind_of_reductions();

} // namespace tessera
