#include "host/run/copy_results.hpp"

#include "device_runtime/error.hpp"
#include "host/checkpoint/durable.hpp"
#include "host/outputs/check_written.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/output_file.hpp"

#include <algorithm>
#include <string>
#include <vector>

#include <unistd.h>

namespace fs = std::filesystem;

namespace tessera {
namespace {

constexpr std::size_t bytes_at_once = std::size_t{1} << 20;

FilePlace place_in(const ResultFolder& folder, const std::string& name) {
    const fs::path path(name);
    return checkpoint::existing_place(folder, path.parent_path().string(), path.filename().string());
}

// The first bytes of a file.
void copy_start(const ResultFolder& from, const FilePlace& to, const std::string& name, std::uint64_t bytes) {
    const checkpoint::KeptFile source(place_in(from, name));
    OutputFile copy(to);
    std::vector<char> part(bytes_at_once);
    for (std::uint64_t done = 0; done < bytes;) {
        const auto count = static_cast<std::size_t>(std::min<std::uint64_t>(part.size(), bytes - done));
        source.read(done, part.data(), count);
        copy.write(part.data(), count);
        done += count;
    }
    copy.commit();
}

// The same file by another name, where the file system has two names for one: for what nobody ever writes to.
bool has_another_name(const FilePlace& there, const FilePlace& name) {
    return ::linkat(there.folder(), there.path(), name.folder(), name.path(), 0) == 0;
}

enum class Changing { never, perhaps };

// All files of a folder of the results, which is there as a whole or not at all.
void copy_folder(const ResultFolder& from, const ResultFolder& to, const fs::path& way, Changing changing) {
    const auto opened = open_folder_below(from.handle(), way, from.path(), Missing::passed_over);
    if (opened == nullptr) return;
    checkpoint::NewFolder made(to, way.parent_path().string());
    for (const auto& name : files_below(opened, from.path() / way)) {
        const auto there = place_in(from, (way / name).string()), copy = to.place(made.way() + "/" + name);
        if (changing == Changing::never && has_another_name(there, copy)) continue;
        copy_file(from, (way / name).string(), copy);
    }
    made.commit(way.filename().string());
}

} // namespace

void copy_file(const ResultFolder& from, const std::string& name, const FilePlace& to) {
    copy_start(from, to, name, checkpoint::KeptFile(place_in(from, name)).size());
}

ResultFolder copy_results(const ResultFolder& from, const fs::path& to, const checkpoint::Saved* saved) {
    if (saved != nullptr) check_written(from, saved->record.outputs);
    auto folder = claim_result_folder(to, false);
    if (saved != nullptr) {
        const auto& outputs = saved->record.outputs;
        for (const auto& file : outputs.files) {
            const auto table = std::find_if(outputs.outputs.begin(), outputs.outputs.end(),
                                            [&](const auto& output) { return output.table && output.table->name == file.name; });
            if (table == outputs.outputs.end() || table->table->is_file)
                copy_start(from, folder.place(file.name), file.name, table == outputs.outputs.end() ? file.size : table->table->size);
        }
        for (const auto& edit : saved->record.report.edits)
            for (const auto& name : edit.files) copy_file(from, name, folder.place(name));
        copy_folder(from, folder, fs::path(checkpoints_name) / saved->name, Changing::never);
    }
    copy_folder(from, folder, sources_name, Changing::perhaps); // somebody may edit them
    return folder;
}

} // namespace tessera
