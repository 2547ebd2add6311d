#include "host/plugins/new_model.hpp"

#include "device_runtime/error.hpp"
#include "host/model/record_reader.hpp"
#include "host/plugins/registry.hpp"
#include "jit/source.hpp"

#include <fmt/format.h>

#include <fstream>
#include <iterator>
#include <map>
#include <system_error>

namespace fs = std::filesystem;

namespace tessera {
namespace {

using Words = std::map<std::string, std::string>;

std::string filled(std::string text, const Words& words) {
    for (const auto& [word, meaning] : words)
        for (auto at = text.find(word); at != std::string::npos; at = text.find(word, at + meaning.size()))
            text.replace(at, word.size(), meaning);
    return text;
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path, std::ios::binary);
    if (!file) throw std::system_error(errno, std::generic_category(), path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

void write(const fs::path& path, const std::string& text, fs::perms as) {
    std::ofstream file(path, std::ios::binary);
    file << text;
    file.close();
    if (!file) throw std::system_error(errno, std::generic_category(), path.string());
    if ((as & fs::perms::owner_exec) != fs::perms::none)
        fs::permissions(path, fs::perms::owner_exec | fs::perms::group_exec | fs::perms::others_exec, fs::perm_options::add);
}

// Whether a model may have the word, which its TESSERA_MODEL does.
bool is_free(const std::string& name) try {
    jit::check_source({name, name, name});
    return true;
} catch (const Error&) {
    return false;
}

void check_name(const std::string& name) {
    const bool is_name = model::is_cpp_name(name);
    if (is_name && is_free(name)) return;
    throw Error(Failure::usage, fmt::format("`{}` cannot be the name of a model", name),
                is_name ? "a model may not use this word of C++" : "it is a name of C++: letters, digits and _",
                "name it like rumour, or red_deer");
}

} // namespace

std::vector<fs::path> new_model(const NewModel& wanted, const fs::path& parent) {
    check_name(wanted.name);
    const auto templates = installed_folder("templates");
    if (templates.empty()) throw Error(Failure::internal, "there are no templates of models", "they are installed with this program");
    const auto folder = parent / wanted.name;
    std::error_code failed;
    if (!fs::create_directory(folder, failed))
        throw Error(Failure::output, fmt::format("{} cannot be made", folder.string()), failed ? failed.message() : "it is there already",
                    "take another name, or go to another folder");
    const auto prefix = templates.parent_path().parent_path().parent_path();
    const Words words{{"MODEL_NAME", wanted.name}, {"TESSERA_FOLDER", prefix.string()}, {"SDK_FOLDER", (prefix / "include").string()}};
    std::vector<fs::path> written;
    try {
        for (const std::string kind : {wanted.agents ? "agents" : "places", "common", "library"}) {
            if (kind == "library" && !wanted.library) continue;
            for (const auto& entry : fs::directory_iterator(templates / kind)) {
                auto name = entry.path().filename().string();
                if (name.starts_with("NAME.")) name.replace(0, 4, wanted.name);
                write(folder / name, filled(text_of(entry.path()), words), entry.status().permissions());
                written.push_back(folder / name);
            }
        }
    } catch (const std::system_error& error) {
        fs::remove_all(folder, failed);
        throw Error(Failure::output, fmt::format("{} cannot be written", folder.string()), error.what());
    }
    return written;
}

} // namespace tessera
