#include "jit/source_names.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/plain_name.hpp"
#include "device_runtime/printable.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <set>
#include <string>

namespace tessera::jit {
namespace {

namespace fs = std::filesystem;

[[noreturn]] void refuse_name(const ModelSource& model, const std::string& name, const std::string& why) {
    throw Error(Failure::plugin, fmt::format("{} cannot be used", shown(model.main.path)),
                fmt::format("a file of its source cannot be called \"{}\": {}", shown(name), why), "give it another name");
}

} // namespace

void check_names(const ModelSource& model) {
    std::set<std::string> names;
    const auto add = [&](const std::string& name) {
        if (const auto why = why_no_plain_name(name); !why.empty()) refuse_name(model, name, why);
        if (name.find('\\') != std::string::npos) refuse_name(model, name, "it has a backslash");
        if (!names.insert(name).second) refuse_name(model, name, "another file has this name");
    };
    add(model.main.name);
    for (const auto& header : model.headers) add(header.name);
    for (const auto& name : names)
        for (auto folder = fs::path(name).parent_path(); !folder.empty(); folder = folder.parent_path())
            if (names.count(folder.string()) != 0) refuse_name(model, name, fmt::format("\"{}\" is a file", shown(folder.string())));
}

} // namespace tessera::jit
