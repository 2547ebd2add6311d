// The state of a run by names, apart from any device: what a simulation can be made from instead of from initial values.
#pragma once

#include "host/array.hpp"
#include "host/setup/setup.hpp"
#include "host/world/state.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

class ThreadPool;

// Rows of a column. The last axis of `shape` has as many places as there are rows, the other axes all of theirs; type, elements and
// dimensions are the member's when it was taken. Of a list: as many of its first cells as were kept.
struct SnapshotPiece {
    std::string collection, member;
    RowRange rows;
    ArrayShape shape;
    // Values of some places of one element, counted from the first of the piece; in any order, as often as it is asked.
    std::function<void(int element, const PlaceRange& places, std::byte* into)> read;
};

struct Snapshot {
    std::uint64_t step = 0; // of the state
    std::vector<SnapshotPiece> pieces;
    std::vector<AgentsPast> agents{};
};

// All of the state, in memory, each column in one piece, or in pieces that end where `cuts` says (rows in rising order).
[[nodiscard]] Snapshot take_snapshot(const State& state, const std::vector<std::int64_t>& cuts = {});

// What a snapshot has for a column. A member of the same type is taken over, of an array the elements that both have; what the snapshot
// does not have, or has as another type, is the member's default, and `note` says so where values were left behind.
struct RestoredValues {
    std::optional<ArraySource> values; // none: all zero, as columns are from the start
    std::string note;
};
// Throws Failure::input where the snapshot is of a grid of other extents. All three must outlive the values.
[[nodiscard]] RestoredValues restored_values(const Setup& setup, ColumnId column, const Snapshot& snapshot, ThreadPool& pool);

} // namespace tessera
