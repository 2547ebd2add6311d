// Whole files, private folders, and replacing a file in one step.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tessera::jit {

// The whole file. Throws std::system_error when it cannot be read. A symbolic link is not followed.
[[nodiscard]] std::vector<std::byte> read_file(const std::filesystem::path& path);

// Writes the whole file, mode 0600, and the folders it needs. Throws std::system_error; what was begun is then removed.
void write_file(const std::filesystem::path& path, std::string_view text);
void write_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

// Writes a file that was not there, mode 0600, by a plain name (device_runtime/plain_name.hpp) below the folder, and the folders on the way
// to it. No symbolic link is followed on that way. Throws std::system_error: EINVAL for a name that is not plain, EEXIST for one that is
// taken.
void write_file_below(const std::filesystem::path& folder, const std::string& name, std::string_view text);

// Writes a file that is either there as a whole or not at all, for every process that looks. Throws std::system_error.
void replace_file(const std::filesystem::path& path, std::span<const std::byte> bytes);

// A new folder of mode 0700 that goes, with all that is in it, when the object does. Where the disk can, it is locked
// meanwhile.
class PrivateFolder {
public:
    // Throws std::system_error when `parent` cannot be written.
    PrivateFolder(const std::filesystem::path& parent, const std::string& prefix);
    ~PrivateFolder();
    PrivateFolder(PrivateFolder&& other) noexcept;
    PrivateFolder& operator=(PrivateFolder&&) = delete;

    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

private:
    std::filesystem::path path_;
    int lock_ = -1;
};

// Removes a PrivateFolder of this machine whose process has died. Where a lock says nothing (the folder is another machine's, or of an
// earlier start of this one, or the disk knows no locks) it is removed when it has not been changed for an hour.
void remove_if_abandoned(const std::filesystem::path& folder);

} // namespace tessera::jit
