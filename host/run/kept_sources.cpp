#include "host/run/kept_sources.hpp"

#include "device_runtime/error.hpp"
#include "host/checkpoint/record.hpp"
#include "host/model/library_code.hpp"
#include "host/session/checkpoint_pause.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace tessera {

std::vector<checkpoint::SourceFile> source_files(const Setup& setup, const run_file::RunFile& run_file) {
    const auto& model = *setup.model;
    std::vector<checkpoint::SourceFile> files;
    const auto add = [&](const std::string& name, std::string text) {
        if (std::any_of(files.begin(), files.end(), [&](const auto& file) { return file.name == name; }))
            throw Error(Failure::plugin, fmt::format("{} cannot be kept with the results", model.path.string()),
                        fmt::format("its file {} has the name of another one that is kept beside it", name), "rename that file");
        files.push_back({name, std::move(text)});
    };
    add(checkpoint::run_file_name, kept_run_file(setup, run_file, "."));
    if (model.library && (model.library->has_hooks() || !model.has_source())) { // the one that runs, whatever the file is by now
        const auto copy = model::checked_copy(*model.library);
        add(model.path.filename().string(), {reinterpret_cast<const char*>(copy.bytes.data()), copy.bytes.size()});
    }
    if (!model.has_source()) return files;
    add(model.source.main.name, model.source.main.text);
    for (const auto& header : model.source.headers) add(header.name, header.text);
    return files;
}

} // namespace tessera
