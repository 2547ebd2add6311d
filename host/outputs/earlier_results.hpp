// What an earlier run left in a result folder.
#pragma once

#include "host/outputs/file_place.hpp"

#include <filesystem>
#include <memory>

namespace tessera {

// Removes from the open folder `folder`, which messages call `shown`, the files that its manifest lists; of a run that is "running" there,
// and so was killed, also those that it may have written since. Names that lead out of the folder are left alone, and so is what is no
// file. Throws Failure::output, before anything is removed, for a folder without a manifest of ours, and where the manifest, a listed file
// or a folder on the way to one is a symbolic link.
void remove_earlier_results(const std::shared_ptr<const Descriptor>& folder, const std::filesystem::path& shown);

} // namespace tessera
