// The ways in which agents are stored. A new one is a class, its kernels, and a line in `storage_for`.
#pragma once

#include "host/setup/setup.hpp"
#include "host/setup/storage_kind.hpp"

namespace tessera {

[[nodiscard]] const StorageKind& slots_of_places();
[[nodiscard]] const StorageKind& list_in_order_of_places();
[[nodiscard]] const StorageKind& list_in_order_of_ids();

// What decides how agents are stored.
struct StorageQuestion {
    bool on_one_cpu = false, in_space = false;
    std::uint64_t most_on_place = 0; // 0: any number
    std::int64_t places = 0;
};
[[nodiscard]] const StorageKind& storage_for(const StorageQuestion& question);

// A column that no run file names, with an element for each of `elements`: its name is none of a member.
[[nodiscard]] model::Member unnamed_member(const char* name, Scalar type, int elements);
// The values of so many rows, one after the other.
[[nodiscard]] model::Member repeated_member(const model::Member& member, int times);
// Puts such a column at the end of the collection's, with a cell a place, or as many as are said.
void add_column(CollectionSetup& collection, Role role, model::Member stored, std::int64_t cells = 0);
// The same with values for each agent, as the collection is stored.
void add_agent_column(CollectionSetup& collection, Role role, const model::Member& of_one);

// The kernel of a part of manageAll, of one source or round where there are several; made when it is first asked for.
KernelId manage_kernel(Setup& setup, CollectionId agents, const KernelKind& kind, std::size_t source = 0, int round = 0);

} // namespace tessera
