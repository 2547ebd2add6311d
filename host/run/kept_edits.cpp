#include "host/run/kept_edits.hpp"

#include "host/checkpoint/durable.hpp"
#include "host/checkpoint/hashed_file.hpp"
#include "host/edits/keep.hpp"
#include "host/outputs/folder_walk.hpp"
#include "host/outputs/output_file.hpp"
#include "host/run/copy_results.hpp"
#include "jit/log.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>

namespace fs = std::filesystem;

namespace tessera {
namespace {

const std::string edits_folder = "edits", first_edit = "edits/000";

std::shared_ptr<const Descriptor> opened(const ResultFolder& folder, const std::string& way) {
    return open_folder_below(folder.handle(), way, folder.path(), Missing::passed_over);
}

// The list of edits; nothing of a run without one.
std::optional<std::string> list_in(const ResultFolder& folder) {
    if (!folder.look_at(edits_name)) return std::nullopt;
    return checkpoint::KeptFile(folder.place(edits_name)).text();
}

std::string first_line(const std::string& list) { return list.substr(0, list.find('\n')) + "\n"; }

// The sources with which a run began, as its first edit.
std::optional<Edit> beginning_in(const std::string& list) {
    const auto line = nlohmann::json::parse(first_line(list), nullptr, false);
    if (!line.is_object() || line.contains("parameters") || line.contains("values")) return std::nullopt;
    const auto step = line.find("step"), in = line.find("folder");
    if (step == line.end() || !step->is_number_unsigned() || in == line.end() || *in != first_edit) return std::nullopt;
    return Edit{step->get<std::uint64_t>(), first_edit};
}

void write_list(const ResultFolder& folder, const std::string& name, const std::string& text) {
    OutputFile file(folder.place(name));
    file.write(text.data(), text.size());
    file.commit();
}

// All files of the folder `way` of one run's results, into the folder `into` of another's.
void copy_files(const ResultFolder& from, const std::string& way, const ResultFolder& to, const std::string& into) {
    for (const auto& name : files_below(opened(from, way), from.path() / way))
        copy_file(from, way + "/" + name, to.place(into + "/" + name));
}

// Returns where it is now.
std::string set_aside(const ResultFolder& folder) {
    int number = 1;
    const auto name = [&] { return fmt::format("{:03}", number); };
    while (opened(folder, fmt::format("{}/{}", set_aside_name, name())) != nullptr) ++number;
    checkpoint::NewFolder made(folder, set_aside_name);
    copy_files(folder, edits_folder, folder, made.way() + "/" + edits_folder);
    if (folder.look_at(manifest_name)) copy_file(folder, manifest_name, folder.place(made.way() + "/" + manifest_name));
    made.commit(name());
    return (folder.path() / set_aside_name / name()).string();
}

// As the only edit.
void keep_beginning(const ResultFolder& from, const ResultFolder& to, const std::string& list) {
    checkpoint::NewFolder made(to, "");
    copy_files(from, first_edit, to, made.way() + "/" + fs::path(first_edit).filename().string());
    write_list(to, made.way() + "/" + fs::path(edits_name).filename().string(), first_line(list));
    made.commit(edits_folder);
}

} // namespace

void drop_later_edits(const ResultFolder& folder, std::size_t kept) {
    const auto edits = opened(folder, edits_folder);
    if (edits == nullptr) return;
    for (const auto& name : names_in(edits->number(), folder.path() / edits_folder)) {
        const bool is_number = name.size() >= 3 && std::all_of(name.begin(), name.end(), [](char c) { return c >= '0' && c <= '9'; });
        if (is_number && std::strtoull(name.c_str(), nullptr, 10) >= kept) (void)take_away(edits->number(), name);
    }
    const auto text = list_in(folder).value_or("");
    std::size_t end = 0;
    for (std::size_t line = 0; line < kept && end < text.size(); ++line) end = std::min(text.find('\n', end), text.size() - 1) + 1;
    const auto dropped = std::count(text.begin() + static_cast<std::ptrdiff_t>(end), text.end(), '\n');
    if (dropped == 0) return;
    write_list(folder, edits_name, text.substr(0, end));
    log_info("{} edit{} after that state {} dropped", dropped, dropped == 1 ? "" : "s", dropped == 1 ? "is" : "are");
}

std::vector<Edit> begin_edits_again(const ResultFolder& from, const ResultFolder& to) {
    const auto list = list_in(from);
    if (!list) return {};
    auto beginning = beginning_in(*list);
    if (opened(from, first_edit) == nullptr) beginning.reset();
    const bool is_same = from.handle() == to.handle();
    const auto made = std::count(list->begin(), list->end(), '\n') - (beginning ? 1 : 0);
    if (made > 0) {
        const auto problem = fmt::format("the run begins again without the {} (there is no checkpoint that has {})",
                                         made == 1 ? "edit that was made of it" : fmt::format("{} edits that were made of it", made),
                                         made == 1 ? "it" : "them");
        if (const auto where = is_same ? set_aside(from) : ""; is_same)
            log_warning("{} `tessera run --replay {}/{}` makes the earlier run with {}", problem, where, manifest_name,
                        made == 1 ? "it" : "them");
        else
            log_warning("{} {} in {}", problem, made == 1 ? "it stays" : "they stay", from.path().string());
    }
    if (!beginning) {
        if (is_same) (void)take_away(to.handle()->number(), edits_folder);
        return {};
    }
    if (made > 0 || !is_same) keep_beginning(from, to, *list);
    for (const auto& name : files_below(opened(to, first_edit), to.path() / first_edit))
        beginning->files.push_back(first_edit + "/" + name);
    std::sort(beginning->files.begin(), beginning->files.end());
    beginning->files.emplace_back(edits_name);
    return {*beginning};
}

} // namespace tessera
