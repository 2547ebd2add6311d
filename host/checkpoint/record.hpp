// checkpoint.json: what a checkpoint holds beside the columns, and which files these are in.
#pragma once

#include "host/array.hpp"
#include "host/checkpoint/hashed_file.hpp"
#include "host/checkpoint/packed_file.hpp"
#include "host/outputs/manifest.hpp"
#include "host/outputs/positions.hpp"
#include "host/run_file/timing.hpp"
#include "host/world/state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::checkpoint {

inline constexpr const char* record_name = "checkpoint.json";
inline constexpr const char* run_file_name = "run.toml";

struct ColumnRecord {
    std::string collection, member;
    ArrayShape shape; // as SnapshotPiece has it
    FileRecord file;
    std::optional<Packing> packing{}; // absent: the file is an array as NumPy has it
};

// Of a collection of agents.
struct AgentsRecord {
    AgentsPast past;
    std::uint64_t room = 0; // of a list; 0: they stand in slots
    // What another run that begins with the state has to have likewise, or to know of it.
    std::string ground{};
    bool in_space = false;
    std::uint64_t most_on_place = 0;        // 0: any number
    std::vector<run_file::Timing> births{}; // of the phases in which they may be born, by which ids are numbered
};

struct Record {
    std::uint64_t run = 0;   // the number of the run
    std::uint64_t step = 0;  // of the state
    FileRecord run_file{};   // what the run is from here on: a run file beside this one, whose model is among the kept sources
    bool on_one_cpu = false; // how agents are stored (Inspection)
    std::vector<ColumnRecord> columns;
    std::vector<AgentsRecord> agents;
    OutputPositions outputs;
    RunReport report; // its sums, hooks and edits
};

// The text of the file. Its last line is the XXH3-64 of all before it.
[[nodiscard]] std::string to_text(const Record& record);

// Throws Failure::input, with the reason as its problem: for a text that is not whole, not of this format, or of another result epoch.
[[nodiscard]] Record parse_record(const std::string& text);

// A text in JSON with such a last line, and back.
[[nodiscard]] std::string sealed(std::string json);
[[nodiscard]] bool is_sealed(const std::string& text);

} // namespace tessera::checkpoint
