#include "host/session/input_files.hpp"

#include "host/checkpoint/record.hpp"

#include <filesystem>

namespace tessera {

std::vector<std::string> input_files(const run_file::RunFile& run_file) {
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
    std::vector<std::string> names;
    for (const auto& file : files) names.push_back(std::filesystem::absolute(file).lexically_normal().string());
    return names;
}

} // namespace tessera
