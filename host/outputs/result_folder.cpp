#include "host/outputs/result_folder.hpp"

#include "device_runtime/error.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <fstream>

namespace fs = std::filesystem;

namespace tessera {
namespace {

void make(const fs::path& folder) {
    std::error_code failed;
    fs::create_directories(folder, failed);
    if (failed)
        throw Error(Failure::output, fmt::format("cannot make the result folder {}", folder.string()), failed.message(),
                    "give another with --out");
}

// Removes the files that an earlier run wrote, by its manifest; a name in it that leads out of the folder is left alone.
void remove_earlier_results(const fs::path& folder) {
    std::ifstream file(folder / manifest_name);
    const auto manifest = nlohmann::json::parse(file, nullptr, false);
    std::error_code ignored;
    if (!manifest.is_discarded() && manifest.contains("files"))
        for (const auto& name : manifest["files"])
            if (name.is_string()) {
                const fs::path path = fs::path(name.get<std::string>()).lexically_normal();
                if (path.is_relative() && !path.empty() && *path.begin() != "..") fs::remove(folder / path, ignored);
            }
    fs::remove(folder / manifest_name, ignored);
}

} // namespace

fs::path claim_result_folder(const fs::path& wanted, bool overwrite) {
    std::error_code failed;
    if (fs::exists(wanted, failed) && !fs::is_empty(wanted, failed)) {
        if (!fs::is_directory(wanted))
            throw Error(Failure::output, fmt::format("{} is not a folder", wanted.string()), "results need one", "give another with --out");
        if (!overwrite)
            throw Error(Failure::output, fmt::format("the result folder {} is not empty", wanted.string()),
                        "a run does not overwrite earlier results", "give another with --out, or --overwrite");
        if (!fs::exists(wanted / manifest_name))
            throw Error(Failure::output, fmt::format("the folder {} holds other things than results", wanted.string()),
                        "it has no manifest.json", "give another with --out");
        remove_earlier_results(wanted);
    }
    make(wanted);
    return wanted;
}

fs::path new_result_folder(const fs::path& base) {
    make(base.has_parent_path() ? base.parent_path() : fs::path("."));
    for (int number = 1;; ++number) {
        const fs::path folder = number == 1 ? base : fs::path(fmt::format("{}-{}", base.string(), number));
        std::error_code failed;
        if (fs::create_directory(folder, failed)) return folder; // atomic: two runs never get the same one
        if (failed)
            throw Error(Failure::output, fmt::format("cannot make the result folder {}", folder.string()), failed.message(),
                        "give another with --out");
    }
}

} // namespace tessera
