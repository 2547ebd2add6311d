// Through folders that are open, past no symbolic link.
#pragma once

#include "host/outputs/file_place.hpp"

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace tessera {

enum class Missing { made, passed_over };

// The folder `way` below the open folder `from`, which messages call `shown`; `from` itself where `way` is empty. One that is not there is
// made, or nothing is returned. Throws Failure::output for a way that is not plain (device_runtime/plain_name.hpp), before anything is
// made, for a link on the way, and for what cannot be opened or made.
[[nodiscard]] std::shared_ptr<const Descriptor> open_folder_below(std::shared_ptr<const Descriptor> from, const std::filesystem::path& way,
                                                                  const std::filesystem::path& shown, Missing missing);

// The names in an open folder, "." and ".." not among them.
[[nodiscard]] std::vector<std::string> names_in(int folder, const std::filesystem::path& shown);

// Names of all regular files in and below the open folder, relative to it.
[[nodiscard]] std::vector<std::string> files_below(const std::shared_ptr<const Descriptor>& folder, const std::filesystem::path& shown);

// Removes a file, or a folder with all that is in it, from an open folder; links are removed and not followed. What cannot be removed, or
// is not there, is left alone.
void remove_tree(int folder, const std::string& name) noexcept;

// The same of what has a name of its own: it loses that first, at once. Whether it is gone from there.
bool take_away(int folder, const std::string& name) noexcept;

// Has the names of these files, relative to the open folder, and of the folders that they are in be on the disk, whatever becomes of the
// machine; the names in the folder itself with them. Throws Failure::output.
void synchronise_names(const std::shared_ptr<const Descriptor>& folder, const std::filesystem::path& shown,
                       const std::vector<std::string>& files);

// A name that nothing has in the open folder, for what is not finished or is to be removed.
[[nodiscard]] std::string unused_temporary_name(int folder);

} // namespace tessera
