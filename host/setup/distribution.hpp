// Where a run is made: what each device has of each collection, in whose memory, and how often devices exchange rows. Plain data, decided
// by host/distribution/distribute.hpp from the run file and a machine's numbers; a Setup has one (Setup::distribution).
#pragma once

#include "host/setup/layout.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace tessera {

// Who makes a partition: a device of a process, by its place among the devices of that process. Today every run is one process.
struct Owner {
    std::size_t process = 0, device = 0;

    friend bool operator==(const Owner&, const Owner&) = default;
};

struct Distribution {
    std::vector<Owner> owners{Owner{}}; // one a partition
    // Of each collection what each partition makes, in order and some of them empty. None where there is one partition, which makes all.
    std::vector<std::vector<RowRange>> stripes;
    bool own_memory = false; // whether each partition has its own columns, with rows of others around its own; else all share one
    bool migrating = false;  // whether what all share are pages that move to whichever device touches them
    // Of each partition with memory of its own: those of one island read each other's, between two of them rows go by way of the host.
    // Empty: all are of one.
    std::vector<std::size_t> islands;
    std::uint64_t steps_a_cycle = 1;   // then, from one exchange of rows to the next; but for those of a program that makes more at once
    std::uint64_t steps_of_ghosts = 1; // and the most that a program may make: ghosts are for so many

    [[nodiscard]] std::size_t partitions() const noexcept { return owners.size(); }
    [[nodiscard]] bool reaches(std::size_t partition, std::size_t other) const {
        return islands.empty() || islands[partition] == islands[other];
    }
    friend bool operator==(const Distribution&, const Distribution&) = default;
};

// The partitions that a process makes, in order.
[[nodiscard]] inline std::vector<std::size_t> partitions_of(const Distribution& distribution, std::size_t process) {
    std::vector<std::size_t> partitions;
    for (std::size_t p = 0; p < distribution.owners.size(); ++p)
        if (distribution.owners[p].process == process) partitions.push_back(p);
    return partitions;
}

} // namespace tessera
