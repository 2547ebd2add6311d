// Kernels written by hand for a model, as a file `reference.toml` lists them (tests/bench/reference/README.md).
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

struct ReferenceSource {
    std::filesystem::path file;
    std::uint64_t steps = 1;             // that a launch makes; at most checked_steps
    std::array<unsigned, 2> block{1, 1}; // CUDA: threads of a block on x and y
    std::array<int, 2> covers{1, 1};     // CUDA: places that a block is for
    unsigned blocks = 0;                 // CUDA: of a launch, whatever the extents; 0: as many as `covers` asks for
};

struct Reference {
    std::filesystem::path file; // the list itself
    run_file::Located<std::string> collection;
    // One: read from one grid, written to another. Two: the second is written in place, then they change places; a launch of several steps
    // reads both from two grids and writes both to two others.
    std::vector<run_file::Located<std::string>> members;
    std::optional<run_file::Boundary> boundary; // on every axis; absent: any
    std::vector<run_file::Located<std::string>> parameters;
    std::vector<run_file::Named<run_file::Located<run_file::Number>>> where; // parameters, and what they have to be
    std::vector<ReferenceSource> cuda,
        cpu; // times are compared with the first of a device, those of fused steps with its first of several steps
};

// Throws Failure::input with file, line and column.
[[nodiscard]] Reference read_reference(const std::filesystem::path& file);

// The list for a model: <folder>/<name>/reference.toml in the folder that is given, else reference.toml beside the model's source, else,
// for a model that came with the program, that which came with it too. Throws Failure::input if a folder is given and has none.
[[nodiscard]] std::optional<std::filesystem::path> find_reference(const model::Model& model,
                                                                  const std::optional<std::filesystem::path>& folder);

// Why it says nothing of such a run, in words; empty if it does. Throws Failure::input for names that the model does not have.
[[nodiscard]] std::string obstacle(const Reference& reference, const Setup& setup);

} // namespace tessera::bench
