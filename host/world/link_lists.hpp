// Links as they come to stand on a device: which there are, and the lists in which functions go along them.
#pragma once

#include "host/setup/setup.hpp"
#include "host/world/initial_state.hpp"
#include "host/world/world.hpp"

#include <cstdint>
#include <optional>
#include <vector>

namespace tessera {

// Where links come from and lead to, and what a file has of their members; nothing of any other column.
[[nodiscard]] std::optional<ArraySource> link_values(const Setup& setup, ColumnId column);

// How many links of a collection there are.
[[nodiscard]] std::int64_t links_there(const Setup& setup, CollectionId links, const StateReader& read);

// The lists of all links, made from what stands in their collections: once written, and their members again after these have changed. Of
// one thread; world, setup and pool outlive it.
class LinkLists {
public:
    LinkLists(World& world, const Setup& setup, ThreadPool& pool);

    // What stands in the lists of the members of a collection; nothing of one that is none of links.
    void write_members(CollectionId id);

private:
    struct Order {
        CollectionId of;
        model::LinkSide side{};
        std::int64_t links = 0;
        std::vector<std::int32_t> rows; // which link each row of the list is; none of a list in which no members stand
    };
    void make(CollectionId id);

    World& world_;
    const Setup& setup_;
    ThreadPool& pool_;
    std::vector<Order> orders_;
};

} // namespace tessera
