#include "host/run_file/file_name.hpp"

#include "device_runtime/plain_name.hpp"
#include "host/run_file/reserved_names.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <iterator>

namespace tessera::run_file {
namespace {

// The digits that `{...}` asks for: 0 for `{step}`, N for `{step:0N}`, -1 for anything else.
int digits_of(const std::string& placeholder) {
    if (placeholder == "step") return 0;
    const std::string opening = "step:0";
    if (placeholder.compare(0, opening.size(), opening) != 0) return -1;
    const auto number = placeholder.substr(opening.size());
    const bool is_number =
        !number.empty() && number.size() <= 2 && std::all_of(number.begin(), number.end(), [](char c) { return c >= '0' && c <= '9'; });
    const int digits = is_number ? std::stoi(number) : 0;
    return digits >= 1 && digits <= 20 ? digits : -1;
}

void check_stays_in_folder(const Located<std::string>& text) {
    const auto& name = *text;
    const auto refuse = [&](const std::string& why) {
        fail_at(text.where, fmt::format("`{}` cannot be the name of a result file", name), why);
    };
    if (name.empty()) refuse("it is empty");
    const std::filesystem::path path(name);
    if (path.is_absolute()) refuse("it has to be relative to the result folder");
    if (std::any_of(path.begin(), path.end(), [](const auto& part) { return part == ".."; })) refuse("it leaves the result folder");
    if (!path.has_filename() || path.filename() == ".") refuse("it names a folder");
    if (const auto why = why_no_plain_name(path.lexically_normal().string()); !why.empty()) refuse(why);
    const auto normal = path.lexically_normal();
    for (const auto& ours : reserved_files) {
        if (normal == ours.name) refuse(fmt::format("{} has this name", ours.what));
        if (*normal.begin() == ours.name) refuse(fmt::format("its folder has the name of {}", ours.what));
    }
    for (const auto* const ours : reserved_folders)
        if (*normal.begin() == ours) refuse(fmt::format("the folder `{}` is reserved for the run", ours));
    if (std::any_of(normal.begin(), normal.end(), [](const auto& part) { return is_temporary_name(part.string()); }))
        refuse("files that are not finished have such names");
}

} // namespace

bool is_temporary_name(std::string_view name) noexcept {
    return name.size() > temporary_begin.size() + temporary_end.size() && name.starts_with(temporary_begin) &&
           name.ends_with(temporary_end);
}

FileName FileName::parse(const Located<std::string>& text) {
    check_stays_in_folder(text);
    FileName name;
    name.text_ = *text;
    std::string literal;
    for (std::size_t i = 0; i < text->size(); ++i) {
        const char c = (*text)[i];
        if (c == '}') fail_at(text.where, fmt::format("`}}` without `{{` in `{}`", *text));
        if (c != '{') {
            literal += c;
            continue;
        }
        const auto end = text->find('}', i);
        if (end == std::string::npos) fail_at(text.where, fmt::format("`{{` without `}}` in `{}`", *text));
        const int digits = digits_of(text->substr(i + 1, end - i - 1));
        if (digits < 0)
            fail_at(text.where, fmt::format("unknown placeholder `{}` in `{}`", text->substr(i, end - i + 1), *text),
                    "a file name may hold `{step}`, or `{step:06}` for six digits");
        name.parts_.push_back({literal, digits});
        literal.clear();
        i = end;
    }
    name.parts_.push_back({literal, -1});
    return name;
}

std::string FileName::at_step(std::uint64_t step) const {
    std::string name;
    for (const auto& part : parts_) {
        name += part.before;
        if (part.digits >= 0) name += fmt::format("{:0{}}", step, std::max(part.digits, 1));
    }
    return std::filesystem::path(name).lexically_normal().string();
}

bool FileName::is_called(const std::string& name) const {
    if (!has_step()) return name == at_step(0);
    const auto shape = pattern();
    const auto begin = shape.find("{step}");
    if (name.compare(0, begin, shape, 0, begin) != 0) return false;
    for (auto end = begin; end < name.size() && name[end] >= '0' && name[end] <= '9'; ++end) { // a digit may follow the step
        std::uint64_t step = 0;
        const auto read = std::from_chars(name.data() + begin, name.data() + end + 1, step);
        if (read.ec == std::errc() && at_step(step) == name) return true;
    }
    return false;
}

std::vector<FileName> FileName::folders() const {
    std::vector<FileName> folders;
    for (auto path = std::filesystem::path(text_).lexically_normal().parent_path(); !path.empty(); path = path.parent_path())
        folders.insert(folders.begin(), parse({path.string(), {}}));
    return folders;
}

namespace {

// Whether what stands before the first step in one of them begins with what does so in the other.
bool begin_alike(const std::string& one, const std::string& other) {
    const auto common = std::min(std::min(one.find("{step}"), one.size()), std::min(other.find("{step}"), other.size()));
    return one.compare(0, common, other, 0, common) == 0;
}

// Tried at a few steps where both names have one: of other pairs each is looked at for all steps.
bool may_be_one(const FileName& a, const FileName& b) {
    constexpr std::uint64_t steps[] = {0, 1, 12, 123456789};
    return std::any_of(std::begin(steps), std::end(steps),
                       [&](std::uint64_t step) { return a.is_called(b.at_step(step)) || b.is_called(a.at_step(step)); });
}

} // namespace

bool FileName::exclude_each_other(const FileName& a, const FileName& b) {
    const auto one = a.pattern(), other = b.pattern();
    if (!begin_alike(one, other)) return false;
    const auto is_in = [](const FileName& folder, const FileName& file) {
        const auto folders = file.folders();
        return std::any_of(folders.begin(), folders.end(), [&](const FileName& each) { return may_be_one(folder, each); });
    };
    return may_be_one(a, b) || is_in(a, b) || is_in(b, a);
}

std::string FileName::pattern() const {
    std::string name;
    for (const auto& part : parts_) name += part.before + (part.digits >= 0 ? "{step}" : "");
    return std::filesystem::path(name).lexically_normal().string();
}

} // namespace tessera::run_file
