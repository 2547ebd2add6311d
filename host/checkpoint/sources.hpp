// What a run with checkpoints is made of, kept with its results: its sources, and which files it read.
#pragma once

#include "host/checkpoint/hashed_file.hpp"
#include "host/outputs/manifest.hpp"
#include "host/outputs/result_folder.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

namespace tessera::checkpoint {

struct SourceFile {
    std::string name, text;
};

struct Sources {
    std::uint64_t run = 0; // a random number: whose checkpoints these are
    std::vector<FileRecord> files;
    std::vector<FileRecord> inputs; // by their paths
    RunReport::Begun begun;         // what the run named them, and itself
};

// Writes the files into `source` in the results, with a list of them and of the inputs. It is on the disk, whole, when this returns. Throws
// Failure::output, and Failure::input for an input that cannot be read.
[[nodiscard]] Sources keep_sources(const ResultFolder& folder, const std::vector<SourceFile>& files, const std::vector<std::string>& inputs,
                                   RunReport::Begun begun);

// Nothing where there are none. Throws Failure::input where they are not what was kept.
[[nodiscard]] std::optional<Sources> read_sources(const ResultFolder& folder);

// Throws Failure::input for a file that the run read, and that is another one by now.
void check_inputs(const Sources& sources);

} // namespace tessera::checkpoint
