// The checkpoints of a run, in its result folder: written so that each is whole or not there, verified before one is used.
#pragma once

#include "host/checkpoint/record.hpp"
#include "host/outputs/outbox.hpp"
#include "host/outputs/result_folder.hpp"
#include "host/run_file/checkpoints.hpp"
#include "host/world/snapshot.hpp"
#include "host/world/state.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::checkpoint {

// Columns of a checkpoint that no step changes: links that stay what they are. The next checkpoint of the same run has the same files, by
// another name each.
struct Unchanging {
    std::string name; // of the checkpoint; empty: there is none
    std::vector<ColumnRecord> columns;

    [[nodiscard]] const ColumnRecord* find(const std::string& collection, const std::string& member) const;
};

// A state in memory of its own, but for `known` columns, which lasts for as long as its setup. Waits for memory, which must be as large
// (bytes_of). Throws std::bad_alloc.
[[nodiscard]] State captured(const State& state, const Unchanging& known, CaptureMemory& memory);
[[nodiscard]] std::size_t bytes_of(const State& state, const Unchanging& known);
// Those of its columns that are written.
[[nodiscard]] std::vector<ColumnId> columns_of(const State& state, const Unchanging& known);

// How checkpoints are written and kept.
struct Keeping {
    std::uint64_t most = 1; // how many stay
    run_file::Compression compress = run_file::Compression::none;
};

// Writes a state into `checkpoints/STEP`, with the run file by which it goes on. `record` has all but columns, agents and files. It is on
// the disk when this returns, in place of one of the same step; of earlier ones one fewer stay than `keeping` says. Throws Failure::output;
// then those that were there are as they were. Returns what its next one need not write again; `known` is that of an earlier one, which is
// still there.
Unchanging write(const ResultFolder& folder, const State& state, const std::string& run_file, Record record, const Keeping& keeping,
                 const Unchanging& known);

// A checkpoint as it was written: its files are open and verified, so that it may be removed meanwhile.
struct Saved {
    std::string name; // "000000012000"
    Record record;
    Snapshot state;
};

// One that cannot be used: its folder below the results, and why.
struct Unusable {
    std::string name, why;
};

struct Found {
    std::optional<Saved> last;         // the last that can be used
    std::vector<Unusable> passed_over; // later ones
};

// Verifies checkpoints from the last one on, until one can be used. One of another number than `run` cannot.
[[nodiscard]] Found find_last(const ResultFolder& folder, std::uint64_t run);

// Verifies all, the last first. `good`: those that can be used.
struct Verified {
    std::vector<std::string> good;
    std::vector<Unusable> unusable;
};
[[nodiscard]] Verified verify_all(const ResultFolder& folder, std::uint64_t run);

// A state that another run kept, wherever it is.
struct Elsewhere {
    std::filesystem::path folder; // of the checkpoint
    Saved saved;
    std::uint64_t hash = 0; // XXH3-64 of its checkpoint.json
};

// `folder` is that of a checkpoint, or of a run's results: then it is the last one that can be used, and the later ones are told in the
// log. Nothing is locked or changed. Throws Failure::input where there is none.
[[nodiscard]] Elsewhere open_elsewhere(const std::filesystem::path& folder);

// Takes away the checkpoints after one, and what was not finished; all where no name is given.
void remove_later(const ResultFolder& folder, const std::string& name);

} // namespace tessera::checkpoint
