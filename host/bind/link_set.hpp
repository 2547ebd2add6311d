// Links that are known by their ends, while some are added and some are taken away.
#pragma once

#include "host/bind/add_links.hpp"

#include <cstdint>
#include <unordered_map>

namespace tessera {

// Holds a table in the order of a run, and what has changed since: few of many.
class LinkSet {
public:
    // In the order of a run (sorted_links), without values of members.
    LinkSet(LinkTable sorted, bool is_directed);

    [[nodiscard]] bool has(const LinkEnds& ends) const;
    void add(const LinkEnds& ends) { ++changes_[key_of(ends)]; }
    void remove(const LinkEnds& ends) { --changes_[key_of(ends)]; } // which is there

    // All that are there, in the order of a run.
    [[nodiscard]] LinkTable take() &&;

private:
    [[nodiscard]] std::uint64_t key_of(const LinkEnds& ends) const noexcept;
    [[nodiscard]] std::uint64_t key_at(std::size_t link) const noexcept;

    LinkTable sorted_;
    bool is_directed_;
    std::unordered_map<std::uint64_t, int> changes_; // how many more links have these ends
};

} // namespace tessera
