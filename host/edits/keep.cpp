#include "host/edits/keep.hpp"

#include "device_runtime/error.hpp"
#include "host/model/library_code.hpp"
#include "host/outputs/npy.hpp"
#include "host/outputs/output_file.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace tessera {
namespace {

void write_text(const ResultFolder& folder, const std::string& name, const std::string& text) {
    OutputFile file(folder.place(name));
    file.write(text.data(), text.size());
    file.commit();
}

void add(const ResultFolder& folder, std::vector<Edit>& edits, Edit edit) {
    edits.push_back(std::move(edit));
    std::string lines;
    for (const auto& each : edits) lines += as_json(each).dump() + "\n";
    write_text(folder, edits_name, lines);
    if (edits.size() == 1) edits.front().files.emplace_back(edits_name);
}

std::string next_folder(const std::vector<Edit>& edits) { return fmt::format("edits/{:03}", edits.size()); }

} // namespace

void keep_edit(const ResultFolder& folder, std::vector<Edit>& edits, std::uint64_t step, const Setup& setup,
               const run_file::RunFile& run_file) {
    Edit edit{step, next_folder(edits)};
    const auto& source = setup.model->source;
    auto run = run_file::with_absolute_paths(run_file);
    const bool hooked = setup.model->library && setup.model->library->has_hooks(); // which are in the library alone
    const auto library = setup.model->path.filename().string();
    run.model.value = hooked ? library : source.main.name;
    run.run.out.reset();
    const auto keep = [&](const std::string& name, const std::string& text) {
        const auto path = edit.folder + "/" + name;
        if (std::find(edit.files.begin(), edit.files.end(), path) != edit.files.end())
            throw Error(Failure::plugin, fmt::format("{} cannot be kept with the results", setup.model->path.string()),
                        fmt::format("its file {} has the name of another one that is kept beside it", name), "rename that file");
        edit.files.push_back(path);
        write_text(folder, path, text);
    };
    keep("run.toml", run_file::resolved_toml(run));
    if (hooked) { // the one that runs, whatever the file is by now
        const auto copy = model::checked_copy(*setup.model->library);
        keep(library, {reinterpret_cast<const char*>(copy.bytes.data()), copy.bytes.size()});
    }
    keep(source.main.name, source.main.text);
    for (const auto& header : source.headers) keep(header.name, header.text);
    add(folder, edits, std::move(edit));
}

void keep_edit(const ResultFolder& folder, std::vector<Edit>& edits, std::uint64_t step, const ParameterChange& change,
               const std::vector<ParameterValue>& values) {
    Edit edit{step, {}};
    for (const auto& value : values)
        for (const auto& each : change.given)
            if (*each.name == value.name) edit.given.emplace_back(value.name, readable(value.type, value.bytes.data()));
    add(folder, edits, std::move(edit));
}

void keep_edit(const ResultFolder& folder, std::vector<Edit>& edits, std::uint64_t step, const ValueChange& change) {
    Edit edit{step, next_folder(edits)};
    edit.files.push_back(edit.folder + "/" + values_name);
    edit.member = change.places + "." + change.member;
    edit.element = change.element;
    edit.corner = change.corner;
    write_npy(folder.place(edit.files.front()), change.values);
    add(folder, edits, std::move(edit));
}

} // namespace tessera
