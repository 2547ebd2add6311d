// Files whose names come from users: read only if they are what they should be. A pipe or a device may never end, or never answer.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tessera {

// Why there is no regular file, or no link to one, at `path`: "it is a folder", "it is a pipe", "No such file or directory"; empty if there
// is. Nothing is opened.
[[nodiscard]] std::string why_not_regular(const std::filesystem::path& path);

// Opens a regular file for reading; -1, with the reason in `why`, if it is none or cannot be opened. Never waits.
[[nodiscard]] int open_regular(const std::filesystem::path& path, std::string& why);

// The whole of a regular file; nothing, with the reason in `why`, if it cannot be read, or if it has more than `most_bytes`.
[[nodiscard]] std::optional<std::string> read_regular(const std::filesystem::path& path, std::uint64_t most_bytes, std::string& why);

} // namespace tessera
