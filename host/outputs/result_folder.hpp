// Where a run's results go. A folder that holds an earlier run's results is not touched unless asked for, and then nothing but these.
#pragma once

#include "host/outputs/file_place.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

namespace tessera {

inline constexpr const char* manifest_name = "manifest.json";

// What a run with checkpoints keeps beside its results: its states, a folder each; and its sources, with a list of them and of the files
// that the run read (host/checkpoint).
inline constexpr const char* checkpoints_name = "checkpoints";
inline constexpr const char* sources_name = "source";
inline constexpr const char* sources_list_name = "run.json";
// What was edited in a run that has begun again since.
inline constexpr const char* set_aside_name = "set-aside";

// Which file it is, and how large. Of what is no file, as a pipe, the size is 0.
struct FileLook {
    std::uint64_t device = 0, number = 0, size = 0;
    bool is_file = false;

    friend bool operator==(const FileLook&, const FileLook&) = default;
};

// A folder that is this run's own: locked as long as an object for it lives, however the process ends. Nothing in it is reached through a
// symbolic link. Copies are of the same lock.
class ResultFolder {
public:
    [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }

    // Where the file `name` is to be written; folders on the way to it are made. Throws Failure::output for a name that is not plain
    // (device_runtime/plain_name.hpp), if that cannot be done, or if one of them is a link.
    [[nodiscard]] FilePlace place(const std::string& name) const;

    // The file `name` as it is now, whatever it is; nothing where there is none, or a link leads to it.
    [[nodiscard]] std::optional<FileLook> look_at(const std::string& name) const;

    // The folder itself, for those who go through it.
    [[nodiscard]] const std::shared_ptr<const Descriptor>& handle() const noexcept { return folder_; }

    // Whether the path still leads to this folder.
    [[nodiscard]] bool is_where_it_was() const;

    // Takes the manifest away, if there is one.
    void remove_manifest() const noexcept;

private:
    friend ResultFolder claim_result_folder(const std::filesystem::path& wanted, bool overwrite);
    friend ResultFolder new_result_folder(const std::filesystem::path& base);
    friend ResultFolder open_result_folder(const std::filesystem::path& path);
    friend ResultFolder folder_to_read(const std::filesystem::path& path);
    ResultFolder(std::filesystem::path path, std::shared_ptr<const Descriptor> folder);

    std::filesystem::path path_;
    std::shared_ptr<const Descriptor> folder_;
};

// Makes the folder `wanted`, locks it and returns it. One that is in use by another run is Failure::output. So is one that is there and
// not empty, unless `overwrite`: then what an earlier run's manifest lists is removed from it first (of a run that was killed also what
// it may have written since its manifest), with its checkpoints, and nothing else; the manifest stays until another takes its place. With
// `overwrite`, a folder that is a symbolic link, or whose listed files are or lie behind one, is refused before anything is removed. Throws
// Failure::output if it cannot be made.
[[nodiscard]] ResultFolder claim_result_folder(const std::filesystem::path& wanted, bool overwrite);

// Locks a folder that is there, with what is in it. Throws Failure::input where there is none, and Failure::output where another run uses
// it, and does so for a second.
[[nodiscard]] ResultFolder open_result_folder(const std::filesystem::path& path);

// Removes what runs that were killed had not finished, from the folder and from those in it.
void remove_unfinished(const ResultFolder& folder);

// A folder that is there, to read in it, whoever uses it: it is not locked. Throws Failure::input where there is none.
[[nodiscard]] ResultFolder folder_to_read(const std::filesystem::path& path);

// Makes, locks and returns the first of base, base-2, base-3, ... that is not there yet.
[[nodiscard]] ResultFolder new_result_folder(const std::filesystem::path& base);

} // namespace tessera
