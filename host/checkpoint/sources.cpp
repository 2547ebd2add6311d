#include "host/checkpoint/sources.hpp"

#include "device_runtime/error.hpp"
#include "device_runtime/plain_name.hpp"
#include "host/checkpoint/durable.hpp"
#include "host/checkpoint/record.hpp"
#include "host/checkpoint/store.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/world/state_hash.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <random>
#include <utility>

#include <fcntl.h>
#include <sys/stat.h>

namespace tessera::checkpoint {
namespace {

using nlohmann::ordered_json;

ordered_json entries_of(const std::vector<FileRecord>& files) {
    auto list = ordered_json::array();
    for (const auto& file : files) {
        auto hashes = ordered_json::array();
        for (const auto hash : file.hashes) hashes.push_back(hash_text(hash));
        list.push_back({{"name", file.name}, {"bytes", file.size}, {"xxh3_of_16_MiB", hashes}});
    }
    return list;
}

std::uint64_t hash_in(const std::string& text) {
    std::uint64_t number = 0;
    (void)std::from_chars(text.data(), text.data() + text.size(), number, 16);
    return number;
}

std::vector<FileRecord> files_in(const nlohmann::json& list) {
    std::vector<FileRecord> files;
    for (const auto& each : list) {
        FileRecord file{each.at("name").get<std::string>(), each.at("bytes").get<std::uint64_t>(), {}};
        for (const auto& hash : each.at("xxh3_of_16_MiB")) file.hashes.push_back(hash_in(hash.get<std::string>()));
        files.push_back(std::move(file));
    }
    return files;
}

// As it is now.
FileRecord record_of_file(const std::filesystem::path& path) {
    const KeptFile file{FilePlace(path)};
    FileRecord record{path.string(), file.size(), {}};
    std::string block;
    for (std::uint64_t first = 0; first < record.size; first += block.size()) {
        block.resize(std::min<std::uint64_t>(block_bytes, record.size - first));
        file.read(first, block.data(), block.size());
        record.hashes.push_back(hash_of(block));
    }
    return record;
}

std::uint64_t random_number() {
    std::random_device device;
    return static_cast<std::uint64_t>(device()) << 32U | device();
}

[[noreturn]] void refuse_sources(const ResultFolder& folder, const std::string& why) {
    throw Error(Failure::input, fmt::format("the run in {} cannot be resumed", folder.path().string()), why,
                fmt::format("put back the folder {} as the run wrote it", (folder.path() / sources_name).string()));
}

} // namespace

Sources keep_sources(const ResultFolder& folder, const std::vector<SourceFile>& files, const std::vector<std::string>& inputs,
                     RunReport::Begun begun) {
    if (folder.look_at(sources_name))
        throw Error(Failure::output, fmt::format("{} is there already", (folder.path() / sources_name).string()),
                    "a run with checkpoints keeps its sources there", "remove it, or give another folder with --out");
    remove_later(folder, ""); // whatever is there is not this run's
    Sources sources;
    sources.run = random_number();
    sources.begun = std::move(begun);
    for (const auto& input : inputs) sources.inputs.push_back(record_of_file(input));
    NewFolder made(folder, "");
    for (const auto& [name, text] : files) sources.files.push_back(write_text(folder.place(made.way() + "/" + name), name, text));
    const auto& names = sources.begun;
    const ordered_json list{{"run", hash_text(sources.run)},          {"model", names.model},
                            {"model_path", names.model_path},         {"out", names.out},
                            {"plugin_folders", names.plugin_folders}, {"files", entries_of(sources.files)},
                            {"inputs", entries_of(sources.inputs)}};
    (void)write_text(folder.place(made.way() + "/" + sources_list_name), sources_list_name, sealed(list.dump(1)));
    folder.remove_manifest(); // of earlier results, if there is one: it says nothing of this run
    made.commit(sources_name);
    return sources;
}

std::optional<Sources> read_sources(const ResultFolder& folder) {
    const auto opened = open_folder_below(folder.handle(), sources_name, folder.path(), Missing::passed_over);
    struct stat found {};
    if (opened == nullptr || ::fstatat(opened->number(), sources_list_name, &found, AT_SYMLINK_NOFOLLOW) != 0) return std::nullopt;
    const auto text = KeptFile(existing_place(folder, sources_name, sources_list_name)).text();
    if (!is_sealed(text)) refuse_sources(folder, fmt::format("{}/{} is not what was written", sources_name, sources_list_name));
    Sources sources;
    try {
        const auto list = nlohmann::json::parse(text);
        const auto text_of = [&](const char* key) { return list.at(key).get<std::string>(); };
        sources = {hash_in(text_of("run")),
                   files_in(list.at("files")),
                   files_in(list.at("inputs")),
                   {text_of("model"), text_of("model_path"), text_of("out"), list.at("plugin_folders").get<std::vector<std::string>>()}};
    } catch (const nlohmann::json::exception& wrong) {
        refuse_sources(folder, fmt::format("{}/{} lacks something: {}", sources_name, sources_list_name, wrong.what()));
    }
    for (const auto& file : sources.files) {
        if (const auto why = why_no_plain_name(file.name); !why.empty())
            refuse_sources(folder, fmt::format("\"{}\" is no file: {}", file.name, why));
        const std::filesystem::path way(file.name);
        const auto in = (std::filesystem::path(sources_name) / way).parent_path().string();
        if (const auto why = KeptFile(existing_place(folder, in, way.filename().string())).why_damaged(file); !why.empty())
            refuse_sources(folder, fmt::format("its {}/{} is another one: {}", sources_name, file.name, why));
    }
    return sources;
}

void check_inputs(const Sources& sources) {
    for (const auto& input : sources.inputs)
        if (const auto why = KeptFile{FilePlace(std::filesystem::path(input.name))}.why_damaged(input); !why.empty())
            throw Error(Failure::input, fmt::format("the run cannot begin again: {} is another file by now", input.name), why,
                        "put it back, or begin another run");
}

} // namespace tessera::checkpoint
