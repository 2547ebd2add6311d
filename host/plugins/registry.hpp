// Where models are found by name.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace tessera {

// What stands where a model would: <folder>/<name>/<name>.cu, <folder>/<name>/<name>.so or <folder>/<name>.so; or a folder of the plugin
// path that cannot be looked at.
struct Candidate {
    std::string name;
    std::filesystem::path path;
    std::string rejected; // why it cannot be used; empty if it can, as far as can be seen from outside
};

// Whether files that somebody else can write (trust.hpp) are candidates like any other. Those that came with the program are in any case.
enum class Unsafe { refused, allowed };

class PluginRegistry {
public:
    // Looks, in this order, into the folders given, those of $TESSERA_PLUGIN_PATH (separated by `:`), and those installed with this
    // program. A folder given that is not there, or cannot be read, is Failure::plugin; one of the environment that is not there is
    // passed over. Nothing else that stands in a folder makes it throw: each candidate says for itself why it cannot be used. Of libraries
    // the headers are read, and none of their code is run. Where a folder has a model's source and its library, the source is used.
    explicit PluginRegistry(const std::vector<std::filesystem::path>& folders, Unsafe unsafe = Unsafe::refused);

    [[nodiscard]] const std::vector<std::filesystem::path>& folders() const noexcept { return folders_; }
    [[nodiscard]] const std::vector<Candidate>& candidates() const noexcept { return candidates_; }

    // The model of this name. Throws Failure::plugin: none, with the folders searched and `suggestion`, else the nearest name; two of that
    // name; or a rejected one.
    [[nodiscard]] std::filesystem::path find(const std::string& name, const std::string& suggestion = {}) const;

private:
    void search(const std::filesystem::path& folder, Unsafe unsafe);

    std::vector<std::filesystem::path> folders_;
    std::vector<Candidate> candidates_; // sorted by name within each folder
};

// The path, as seen from `folder`, of a source that is called as a model of this name would be: "sir.cu" or "sir/sir.cu"; empty if none is
// there.
[[nodiscard]] std::string source_beside(const std::string& name, const std::filesystem::path& folder);

// The folder of examples or plugins that stands beside this program, installed or in its build folder.
[[nodiscard]] std::filesystem::path installed_folder(const std::string& name);

} // namespace tessera
