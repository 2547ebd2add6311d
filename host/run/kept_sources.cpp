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

std::vector<std::filesystem::path> input_files(const run_file::RunFile& run_file) {
    std::vector<std::filesystem::path> files;
    for (const auto& places : run_file.places)
        for (const auto& member : places->init)
            for (const auto& step : member.value)
                if (const auto* from = std::get_if<run_file::FromFile>(&step->source)) files.push_back(run_file.resolve(*from->file));
    for (const auto& agents : run_file.agents)
        if (agents->file) files.push_back(run_file.resolve(**agents->file));
    for (const auto& links : run_file.links) {
        if (links->file) files.push_back(run_file.resolve(**links->file));
        if (!links->generate) continue;
        for (const auto& file : {links->generate->value.file, links->generate->value.to_file})
            if (file) files.push_back(run_file.resolve(**file));
    }
    if (const auto& start = run_file.run.start) files.push_back(std::filesystem::path(start->found) / checkpoint::record_name);
    for (auto& file : files) file = std::filesystem::absolute(file).lexically_normal();
    return files;
}

} // namespace tessera
