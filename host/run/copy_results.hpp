// The results of a run up to a state, in another folder.
#pragma once

#include "host/checkpoint/store.hpp"
#include "host/outputs/result_folder.hpp"

#include <filesystem>
#include <string>

namespace tessera {

// Makes the folder and copies into it the kept sources, the checkpoint, the files that were written up to it and the tables as they were
// then, without a checkpoint the sources alone. Throws Failure::output.
[[nodiscard]] ResultFolder copy_results(const ResultFolder& from, const std::filesystem::path& to, const checkpoint::Saved* saved);

// A file of one run's results, as it is now. Throws Failure::input where it cannot be read, Failure::output where it cannot be written.
void copy_file(const ResultFolder& from, const std::string& name, const FilePlace& to);

} // namespace tessera
