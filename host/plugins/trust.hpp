// Whose files are run. A model is code, and who can write into a plugin folder can have it run by all who look for models there.
#pragma once

#include <filesystem>
#include <string>

namespace tessera {

// Why a file found on the plugin path is not to be trusted; empty if it is. It, the folder that it stands in and those above that have to
// belong to us, to root, or to who installed this program, and nobody else may write there but groups that we are in, and but for folders
// in which everybody can remove their own files alone. Links are judged by what they lead to, which has to lie within `folder`.
[[nodiscard]] std::string why_not_trusted(const std::filesystem::path& file, const std::filesystem::path& folder);

} // namespace tessera
