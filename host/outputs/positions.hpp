// How far the outputs of a run are at a state: what one that goes on from there begins with.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct TablePosition {
    std::string name;           // of the file, relative to the folder
    bool is_file = true;        // else a pipe
    std::uint64_t size = 0;     // bytes
    std::uint64_t end_hash = 0; // XXH3-64 of its last MiB

    friend bool operator==(const TablePosition&, const TablePosition&) = default;
};

struct OutputPosition {
    std::string file; // as the run file names it
    int continued = 1;
    std::optional<std::uint64_t> written_at; // the last state that was written
    std::optional<TablePosition> table;

    friend bool operator==(const OutputPosition&, const OutputPosition&) = default;
};

struct WrittenFile {
    std::string name; // relative to the folder
    std::uint64_t size = 0;

    friend bool operator==(const WrittenFile&, const WrittenFile&) = default;
};

struct OutputPositions {
    std::vector<OutputPosition> outputs;
    std::vector<WrittenFile> files; // all of them, in the order in which they were begun

    friend bool operator==(const OutputPositions&, const OutputPositions&) = default;
};

} // namespace tessera
