// The run file: what to simulate, on what, and what to write. Typed, checked, with every default filled in; what it says of a model (names,
// types of members) is checked later, where the model is known, and each value says where it was written for the sake of those errors.
// `bind` takes it apart (host/bind/bind.hpp): folders below know its parts alone, and small types of their own headers.
#pragma once

#include "host/run_file/checkpoints.hpp"
#include "host/run_file/choices.hpp"
#include "host/run_file/expression.hpp"
#include "host/run_file/first_values.hpp"
#include "host/run_file/outputs.hpp"
#include "host/run_file/qualified_name.hpp"
#include "host/run_file/timing.hpp"
#include "host/run_file/where.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace tessera {

struct LinkTable; // host/setup/link_table.hpp

}

namespace tessera::run_file {

// A state that a run kept, with which another one begins in place of first values.
struct Start {
    Located<std::string> checkpoint; // the folder of one, or of the run's results; give it to RunFile::resolve
    std::string found{};             // the folder of the one that it is, and the step of its state, once they were looked at
    std::uint64_t step = 0;
    friend bool operator==(const Start&, const Start&) = default;
};

struct Run {
    std::optional<Located<std::uint64_t>> steps;         // below 2^32; absent only if `stop` is there
    bool steps_from_start = false;                       // "+5000": counted from the state with which the run begins
    Located<std::uint64_t> seed{1, {}};                  // below 2^63
    std::vector<Located<std::string>> devices;           // {"auto"}, or each "cpu" or "cuda:N"
    std::vector<Located<double>> weights;                // one a device, positive: how much of each grid it makes; empty: equal parts
    Located<MemoryModel> memory;                         // of several devices: one range of addresses, or one a device
    Located<Transport> transport;                        // of rows between devices with memory of their own
    std::optional<Located<double>> inject_latency;       // seconds that rows of others come later, for experiments
    std::optional<Located<std::uint64_t>> threads;       // absent: as many as the machine has
    std::optional<Located<expression::Expression>> stop; // a condition
    Located<std::uint64_t> stop_every{1, {}};
    std::optional<Located<std::string>> out; // the result folder; give it to RunFile::resolve
    Located<FloatMode> float_mode;
    Located<bool> bake{true, {}};
    std::optional<Located<std::uint64_t>> output_memory;  // bytes for what is captured and not written yet; absent: a default
    std::optional<Located<std::uint64_t>> output_threads; // that write it; absent: by the devices
    std::optional<Checkpoints> checkpoint;                // absent: none is written
    std::optional<Start> start;                           // absent: first values
    friend bool operator==(const Run&, const Run&) = default;
};

struct Schedule {
    Located<ExchangeMode> exchange;
    Located<View> view;
    // Steps from one exchange of rows to the next, of devices with memory of their own; absent: as many as pay.
    std::optional<Located<std::uint64_t>> halo;
    Located<Tune> tune{Tune::quick, {}}; // looking for faster ways of making the same steps, while the run goes on
    // One such way, as in "pipeline:4x2x16" (host/views/fused_view.hpp), which is used from the start; then nothing is looked for.
    std::optional<Located<std::string>> fused;
    friend bool operator==(const Schedule&, const Schedule&) = default;
};

// Places without a shape stand in rows of so many, the last of which may be short.
inline constexpr std::int64_t row_of_count = 1024;

// A collection of places.
struct Places {
    Located<std::string> name;
    Located<std::string> type;                               // the collection's name unless given
    Located<std::vector<std::uint64_t>> size;                // 1 to 3 extents, x first; their product is below 2^40
    std::optional<Located<std::uint64_t>> count;             // of places without a shape; `size` is then that of the rows that hold them
    std::optional<Located<std::vector<double>>> extent;      // one a dimension, above 0: where space ends for agents in it; absent: `size`
    std::vector<Located<Boundary>> boundary;                 // one a dimension
    std::vector<Located<std::string>> devices;               // of the run's, those that make it; empty: all of them
    std::vector<Located<std::int64_t>> cuts;                 // first rows of the second device's stripe and of those behind; may be empty
    Located<bool> cuts_measured{false, {}};                  // by what each device takes for the first steps; then there are no `cuts`
    std::vector<Named<Constant>> outside;                    // member -> what is beyond a fixed boundary
    std::vector<Named<std::vector<Located<InitStep>>>> init; // member -> applied in this order
    friend bool operator==(const Places&, const Places&) = default;
};

// How links are made where no file has them.
struct LinkRule {
    enum class Kind { complete, ring, random, regular, small_world, preferential, grid, blocks, degrees };
    Kind kind = Kind::complete;
    std::optional<Located<std::uint64_t>> degree; // of ring, regular, small_world and preferential
    std::optional<Located<double>> chance;        // of random: that two places are joined
    std::optional<Located<std::uint64_t>> links;  // or how many there are
    std::optional<Located<double>> rewire;        // of small_world: that an end of a link is moved
    std::vector<Located<std::uint64_t>> size;     // of grid; empty: that of the places
    std::optional<Located<bool>> torus;           // of grid
    // Of blocks: how many places each has at both ends (those at which links end may have others), and for each of the first and each of
    // the second the probability that two places are joined, or how many links there are.
    std::vector<Located<std::uint64_t>> sizes, to_sizes;
    std::vector<std::vector<Located<double>>> chances;
    std::vector<std::vector<Located<std::uint64_t>>> counts;
    // Of degrees: numbers of links of the places, and of those to which they lead; give them to RunFile::resolve.
    std::optional<Located<std::string>> file, to_file;
    friend bool operator==(const LinkRule&, const LinkRule&) = default;
};

// A collection of links.
struct Links {
    Located<std::string> name;
    Located<std::string> type;                               // the collection's name unless given
    std::optional<Located<std::string>> from, to;            // the places that they join; absent: the only ones of the type's
    std::optional<Located<std::string>> file;                // give it to RunFile::resolve
    std::optional<Located<LinkRule>> generate;               // one of the two
    Located<bool> parallel{false, {}}, loops{false, {}};     // whether two may have the same ends, and whether both ends may be one place
    std::uint64_t grown_room = 0;                            // of links that are born in steps, where that is more: not said in run files
    Located<std::uint64_t> delays{64, {}};                   // what is sent along them is there fewer steps later
    std::shared_ptr<const LinkTable> table{};                // once it is known: neither file nor rule is asked again. Not said either
    std::vector<Named<std::vector<Located<InitStep>>>> init; // member -> applied in this order; constants and random values
    friend bool operator==(const Links&, const Links&) = default;
};

// A collection of agents.
struct Agents {
    Located<std::string> name;
    Located<std::string> type;                   // the collection's name unless given
    std::optional<Located<std::string>> on;      // the places that they stand on; absent: the only ones of the type's
    std::optional<Located<std::uint64_t>> count; // of the first ones; absent: none, or as `place` says
    Located<StartingPlaces> place;
    std::optional<Located<Box>> box;                         // with `random`
    std::optional<Located<std::string>> file;                // with `file`; give it to RunFile::resolve
    Located<std::uint64_t> capacity{1, {}};                  // that one place has room for; `unlimited`: any number
    std::optional<Located<std::uint64_t>> reserve;           // for how many there is memory at first, of unlimited capacity
    std::uint64_t grown_room = 0;                            // later, where that is more: not said in run files
    std::optional<std::uint64_t> read_count;                 // of the file, of a run that goes on: it is not read again. Likewise
    Located<Priority> priority;                              // who comes first where not all find room
    Located<EdgeRule> on_edge;                               // what becomes of who wants to go beyond the grid's edge
    std::vector<Named<std::vector<Located<InitStep>>>> init; // member -> applied in this order; constants and random values
    friend bool operator==(const Agents&, const Agents&) = default;
};

struct CallAll {
    Located<QualifiedName> function;
    friend bool operator==(const CallAll&, const CallAll&) = default;
};

struct ExchangeAll {
    Located<std::string> collection; // "*": all
    friend bool operator==(const ExchangeAll&, const ExchangeAll&) = default;
};

struct ManageAll {
    std::vector<Located<std::string>> collections; // or one that is "*": all of agents
    friend bool operator==(const ManageAll&, const ManageAll&) = default;
};

// Two or more different members of one collection: each takes the column of the one before it, the first that of the last.
struct Rotate {
    std::vector<Located<QualifiedName>> members;
    friend bool operator==(const Rotate&, const Rotate&) = default;
};

// Values of the step, each made of an expression.
struct Reduce {
    std::vector<Named<Located<expression::Expression>>> values;
    friend bool operator==(const Reduce&, const Reduce&) = default;
};

// Of a `repeat`: behind this phase no more rounds are made where the condition holds. It stands before each round, and behind the last.
struct Until {
    Located<expression::Expression> condition;
    friend bool operator==(const Until&, const Until&) = default;
};

struct Phase {
    std::variant<CallAll, ExchangeAll, ManageAll, Rotate, Reduce, Until> action;
    Timing timing;
    std::optional<Round> round;
    friend bool operator==(const Phase&, const Phase&) = default;
};

// What a user should know of how a run file is written, a line each. It is no part of what the run file says.
struct Remarks {
    std::vector<std::string> lines;
    friend bool operator==(const Remarks&, const Remarks&) { return true; }
};

using Parameters = std::vector<Named<Located<Number>>>;

struct RunFile {
    std::string path;           // as the user named it
    std::string folder;         // what paths in it are relative to; empty: the current folder
    Located<std::string> model; // a name; or, with a `/` in it or ending in .cu or .so, a path for `resolve`
    Run run;
    Schedule schedule;
    std::vector<Located<Places>> places;
    std::vector<Located<Links>> links;
    std::vector<Located<Agents>> agents;
    Parameters params;
    std::vector<Located<Phase>> phases;
    std::vector<Located<Output>> outputs;
    std::vector<Located<std::string>> plugin_folders; // give each to `resolve`
    Remarks remarks;

    // A path that the run file names, relative to the run file's folder.
    [[nodiscard]] std::filesystem::path resolve(const std::string& named) const;
    friend bool operator==(const RunFile&, const RunFile&) = default;
};

// One TOML text. Paths in it are relative to `folder` (empty: the current folder).
struct Layer {
    std::string text;
    std::string name; // for messages: "life.toml"
    std::string folder;
    std::optional<std::string> model{}; // in place of `model` in the text: a name, or a path that TOML may have no way of writing
    bool is_of_model = false;           // the model's own defaults
};

// A layer's keys take the place of earlier layers' (tables merge; lists, initial values and everything else are replaced; collections of
// the model's defaults are left out where later layers or overrides have others of their type, and do not name them), and the last layer is
// the run file that the result is named after: {the model's own defaults, the user's file}, or the defaults alone. Overrides come last, in
// their order; each is `key=value`, the value in TOML or a bare word, and paths in them are relative to the current folder. Fails at the
// first thing that is wrong with Failure::input, or with Failure::usage if an override is to blame.
[[nodiscard]] RunFile parse_layers(const std::vector<Layer>& layers, const std::vector<std::string>& overrides = {});

// What `parse_layers` will find as `model`; nothing else is looked at but the TOML. With it the model, and so its defaults, can be found.
[[nodiscard]] std::optional<Located<std::string>> find_model(const std::vector<Layer>& layers,
                                                             const std::vector<std::string>& overrides = {});

// Likewise, the folders that it adds to the plugin path; for RunFile::resolve, or `folder` of the last layer.
[[nodiscard]] std::vector<Located<std::string>> find_plugin_folders(const std::vector<Layer>& layers,
                                                                    const std::vector<std::string>& overrides = {});

// The bytes of a run file as a layer. Fails with Failure::input if it cannot be read.
[[nodiscard]] Layer read_layer(const std::string& path);

[[nodiscard]] RunFile parse_run_file(const std::string& text, const std::string& path, const std::vector<std::string>& overrides = {});
[[nodiscard]] RunFile read_run_file(const std::string& path, const std::vector<std::string>& overrides = {});

// The same run with every path absolute, so that it means the same from any folder.
[[nodiscard]] RunFile with_absolute_paths(RunFile run);

// The run file with every default and override written out; parsed again in the same folder it gives an equal RunFile.
[[nodiscard]] std::string resolved_toml(const RunFile& run);

} // namespace tessera::run_file

namespace tessera {
using run_file::find_model;
using run_file::parse_layers;
using run_file::parse_run_file;
using run_file::read_run_file;
using run_file::resolved_toml;
using run_file::RunFile;
} // namespace tessera
