// Kernels written by hand for a model, as a file `reference.toml` lists them (bench/reference/README.md).
#pragma once

#include "host/run_file/run_file.hpp"
#include "host/setup/setup.hpp"

#include <array>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::bench {

// Steps that every kernel and every view makes, or the most that it can if it makes several at a time, before its state is compared. No
// multiple of most depths, so that fused and single steps follow each other.
inline constexpr std::uint64_t checked_steps = 50;

// What there is one of in a column of a program: something, places, or agents (in a list: for whom there is room).
enum class Each { once, place, agent };

// A column that a program has for itself.
struct OwnColumn {
    std::string name;
    Scalar type = Scalar::u8;
    Each each = Each::once;
    std::int64_t covers = 1; // of what there is: one value is for so many
    std::int64_t count = 1;  // once: how many values there are
};

// A kernel of a program.
struct OwnKernel {
    std::string name;
    Each each = Each::once;
    std::int64_t covers = 1; // CUDA: for how many a block is
    unsigned block = 1;      // CUDA: threads of a block
};

// What a source is for a model with agents.
struct ProgramByHand {
    std::vector<OwnColumn> columns;
    std::vector<OwnKernel> begin, step, end;       // before the first step, of each, and before the state is read
    std::vector<std::array<std::string, 2>> swaps; // columns that exchange names behind each step
};

struct ReferenceSource {
    std::filesystem::path file;
    ProgramByHand program;
    std::uint64_t steps = 1;                // that a launch makes; at most checked_steps
    std::array<unsigned, 3> block{1, 1, 1}; // CUDA: threads of a block on each axis
    std::array<int, 3> covers{1, 1, 1};     // CUDA: places that a block is for
    unsigned blocks = 0;                    // CUDA: of a launch, whatever the extents; 0: as many as `covers` asks for
};

// Agents whom programs by hand are for.
struct ReferenceAgents {
    run_file::Located<std::string> collection;
    std::vector<run_file::Located<std::string>> members;
    bool in_list = false;                       // else of capacity 1, each in the slot of its place
    std::optional<run_file::Priority> priority; // absent: any
};

struct Reference {
    std::filesystem::path file;            // the list itself
    std::optional<ReferenceAgents> agents; // then sources are programs
    run_file::Located<std::string> collection;
    int dimensions = 2; // of its grid, 2 or 3
    // One: read from one grid, written to another. Two: the second is written in place, then they change places; a launch of several steps
    // reads both from two grids and writes both to two others. Beside agents: any number, in place.
    std::vector<run_file::Located<std::string>> members;
    std::optional<run_file::Boundary> boundary; // on every axis; absent: any
    std::vector<run_file::Located<std::string>> parameters;
    std::vector<run_file::Named<run_file::Located<run_file::Number>>> where; // parameters, and what they have to be
    std::optional<run_file::Located<std::string>> random; // the function whose random numbers programs draw: "walker.walk"
    std::vector<ReferenceSource> cuda,
        cpu; // times are compared with the first of a device, those of fused steps with its first of several steps
};

// Throws Failure::input with file, line and column.
[[nodiscard]] Reference read_reference(const std::filesystem::path& file);

// What the source says. Throws Failure::input if it cannot be read.
[[nodiscard]] std::string author_text(const Reference& reference, const ReferenceSource& source);

// Columns that programs are handed, places' members first: "field_sugar", "ant_id", in a list "ant_place", "ant_vision".
[[nodiscard]] std::vector<std::string> handed_columns(const Reference& reference);

// The list for a model: <folder>/<name>/reference.toml in the folder that is given, else reference.toml beside the model's source, else,
// for a model that came with the program, that which came with it too. Throws Failure::input if a folder is given and has none.
[[nodiscard]] std::optional<std::filesystem::path> find_reference(const model::Model& model,
                                                                  const std::optional<std::filesystem::path>& folder);

// Why it says nothing of such a run, in words; empty if it does. Throws Failure::input for names that the model does not have.
[[nodiscard]] std::string obstacle(const Reference& reference, const Setup& setup);

} // namespace tessera::bench
