// The kernels of a manageAll of links that are born and die, which are compiled with the model (kernels/agents/changing_links.hpp): of runs
// that one CPU does not make alone.
#pragma once

#include "host/setup/setup.hpp"

#include <vector>

namespace tessera {

// Columns that they need besides, in this order; those of the list where there is one that is not in the order of the links.
enum class LinkWork : std::size_t {
    totals,
    sums,
    bits,
    staying,
    births,
    keys,
    refs,
    judged,
    born_keys,
    born_refs,
    born_rows,
    list_bits,
    list_staying,
    list_births
};

// The column of a collection that has them; none: its manageAll is compiled with the program.
[[nodiscard]] std::optional<std::size_t> find_work(const CollectionSetup& links, LinkWork which);
// Adds them, when all columns are there that say what is wanted.
void add_link_work(Setup& setup, CollectionId links);

// How many may ask for links in the phase: places, the slots of places, or for how many agents a list has room.
[[nodiscard]] std::int64_t authors_of(const Setup& setup, const LinkSource& source);
// How many links functions may want in a step; and how many rows of a list these would be.
[[nodiscard]] std::int64_t most_born(const Setup& setup, const CollectionSetup& links);
[[nodiscard]] std::int64_t most_sorted(const Setup& setup, const CollectionSetup& links);
// Those that lead to a place stand in the order of the links. Another list, of those that come from it or are at either end.
[[nodiscard]] const LinkList* other_list(const CollectionSetup& links);

// In the order in which they are made.
void add_link_kernels(Setup& setup, CollectionId links, std::vector<KernelId>& kernels);

} // namespace tessera
