// The results of a run up to a state, in another folder.
#pragma once

#include "host/checkpoint/store.hpp"
#include "host/outputs/result_folder.hpp"

#include <filesystem>

namespace tessera {

// Makes the folder and copies into it the kept sources, the checkpoint, the files that were written up to it and the tables as they were
// then, without a checkpoint the sources alone. Throws Failure::output.
[[nodiscard]] ResultFolder copy_results(const ResultFolder& from, const std::filesystem::path& to, const checkpoint::Saved* saved);

} // namespace tessera
