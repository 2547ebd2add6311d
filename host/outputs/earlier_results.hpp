// What an earlier run left in a result folder.
#pragma once

#include "host/outputs/file_place.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

// Removes from the open folder `folder`, which messages call `shown`, the files that its manifest lists; of a run that is "running" there,
// and so was killed, also those that it may have written since. Names that lead out of the folder are left alone, and so is what is no
// file. Throws Failure::output, before anything is removed, for a folder without a manifest of ours, and where the manifest, a listed file
// or a folder on the way to one is a symbolic link.
void remove_earlier_results(const std::shared_ptr<const Descriptor>& folder, const std::filesystem::path& shown);

// Removes from a run's folder the files that its outputs wrote after a state, and what was not finished: all that have names of theirs, as
// `outputs` say them in the run file, and are not among `kept`.
void remove_later_files(const std::shared_ptr<const Descriptor>& folder, const std::filesystem::path& shown,
                        const std::vector<std::string>& outputs, const std::vector<std::string>& kept);

} // namespace tessera
