#include "host/bench/reference.hpp"

#include "device_runtime/error.hpp"
#include "host/plugins/registry.hpp"
#include "host/run_file/checks.hpp"
#include "host/run_file/document.hpp"
#include "host/run_file/sections.hpp"
#include "host/setup/names.hpp"
#include "host/setup/value.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace fs = std::filesystem;

namespace tessera::bench {
namespace {

using run_file::Located;
using run_file::Node;

constexpr const char* list_name = "reference.toml";

std::vector<Located<std::string>> read_names(const Node& node) {
    run_file::expect_array(node, "an array of names");
    std::vector<Located<std::string>> names;
    for (const auto& item : node.items) names.push_back(run_file::located(run_file::read_identifier(item, "a name"), item));
    return names;
}

const Node& required(const Node& table, const char* key, const char* expected) {
    const auto* node = table.find(key);
    if (node == nullptr) run_file::fail_missing(table, key, expected);
    return *node;
}

template<class T> std::array<T, 2> read_pair(const Node& table, const char* key, std::int64_t most) {
    const auto& node = required(table, key, "two integers, for x and y");
    run_file::expect_array(node, "two integers, for x and y");
    if (node.items.size() != 2) run_file::fail_expected(node, "two integers, for x and y");
    return {static_cast<T>(run_file::read_integer(node.items[0], 1, most)), static_cast<T>(run_file::read_integer(node.items[1], 1, most))};
}

std::vector<ReferenceSource> read_sources(const Node& document, const char* device, const fs::path& folder) {
    std::vector<ReferenceSource> sources;
    const auto* list = document.find(device);
    if (list == nullptr) return sources;
    run_file::expect_array(*list, "an array of tables");
    const bool cuda = std::string(device) == "cuda";
    for (const auto& item : list->items) {
        run_file::expect_keys(item, cuda ? std::vector<std::string>{"file", "steps", "block", "covers", "blocks"}
                                         : std::vector<std::string>{"file", "steps"});
        auto& source = sources.emplace_back();
        source.file = folder / run_file::read_text(required(item, "file", "a source file"), "a source file");
        if (const auto* steps = item.find("steps"))
            source.steps = static_cast<std::uint64_t>(run_file::read_integer(*steps, 1, checked_steps));
        if (!cuda) continue;
        source.block = read_pair<unsigned>(item, "block", 1024);
        const auto *covers = item.find("covers"), *blocks = item.find("blocks");
        if (covers != nullptr && blocks != nullptr)
            run_file::fail_at(blocks->where, fmt::format("`{}` stands beside `covers`", blocks->path), "both say how many blocks there are",
                              "leave one out");
        if (blocks != nullptr)
            source.blocks = static_cast<unsigned>(run_file::read_integer(*blocks, 1, 1 << 20));
        else
            source.covers = read_pair<int>(item, "covers", 1 << 20);
    }
    return sources;
}

// What a model that came with the program has in the folder of models that came with it.
bool came_with_the_program(const model::Model& model) {
    const auto plugins = installed_folder("plugins");
    if (plugins.empty()) return false;
    std::error_code failed;
    return fs::equivalent(plugins / model.description.name, fs::absolute(model.path).parent_path(), failed) && !failed;
}

std::size_t parameter_of(const Setup& setup, const Located<std::string>& name) {
    for (std::size_t i = 0; i < setup.parameters.size(); ++i)
        if (setup.parameters[i].name == *name) return i;
    run_file::fail_at(name.where, fmt::format("{} has no parameter `{}`", setup.description().name, *name));
}

} // namespace

Reference read_reference(const fs::path& file) {
    const auto layer = run_file::read_layer(file.string());
    const auto document = run_file::parse_document(layer.text, layer.name, layer.folder);
    run_file::expect_keys(document, {"collection", "members", "boundary", "parameters", "where", "cuda", "cpu"});
    Reference reference;
    reference.file = file;
    const auto& collection = required(document, "collection", "the name of a collection");
    reference.collection = run_file::located(run_file::read_identifier(collection, "the name of a collection"), collection);
    const auto& members = required(document, "members", "an array of one or two members");
    reference.members = read_names(members);
    if (reference.members.empty() || reference.members.size() > 2) run_file::fail_expected(members, "an array of one or two members");
    if (const auto* boundary = document.find("boundary")) reference.boundary = *run_file::read_spelling(run_file::boundaries, *boundary);
    if (const auto* parameters = document.find("parameters")) reference.parameters = read_names(*parameters);
    if (const auto* where = document.find("where")) {
        run_file::expect_table(*where);
        for (const auto& item : where->items)
            reference.where.push_back({run_file::located_key(item), run_file::located(run_file::read_number(item), item)});
    }
    reference.cuda = read_sources(document, "cuda", file.parent_path());
    reference.cpu = read_sources(document, "cpu", file.parent_path());
    return reference;
}

std::optional<fs::path> find_reference(const model::Model& model, const std::optional<fs::path>& folder) {
    const auto& name = model.description.name;
    if (folder) {
        const auto file = *folder / name / list_name;
        if (!fs::is_regular_file(file))
            throw Error(Failure::input, fmt::format("there is no {}", file.string()), "--reference names a folder with one for each model",
                        "check the path");
        return file;
    }
    if (const auto beside = model.path.parent_path() / list_name; fs::is_regular_file(beside)) return beside;
    const auto installed = installed_folder("reference");
    if (const auto file = installed / name / list_name; !installed.empty() && came_with_the_program(model) && fs::is_regular_file(file))
        return file;
    return {};
}

std::string obstacle(const Reference& reference, const Setup& setup) {
    const auto found = setup.find_collection(*reference.collection);
    if (!found) return fmt::format("there is no collection `{}`", *reference.collection);
    const auto& collection = setup.collections[*found];
    const auto& row = setup.row_of(collection);
    if (collection.dimensions != 2) return fmt::format("{} is not a grid of two dimensions", collection.name);
    const auto& first = row.members[require_member(row, *reference.members.front(), reference.members.front().where)];
    for (const auto& name : reference.members) {
        const auto& member = row.members[require_member(row, *name, name.where)];
        if (member.elements != 1 || member.type != first.type)
            run_file::fail_at(name.where, fmt::format("{}.{} cannot be handed over", collection.name, member.name),
                              "members have one type, and are no arrays");
    }
    for (std::size_t axis = 0; reference.boundary && axis < 2; ++axis)
        if (collection.boundary[axis] != *reference.boundary)
            return fmt::format("it is for the boundary {}", run_file::spelling_of(run_file::boundaries, *reference.boundary));
    for (const auto& name : reference.parameters) (void)parameter_of(setup, name);
    for (const auto& [name, number] : reference.where) {
        const auto& parameter = setup.parameters[parameter_of(setup, name)];
        const auto wanted = value_bytes(*number, parameter.type, number.where, parameter.name);
        if (wanted != parameter.bytes) return fmt::format("it is for {} = {}", parameter.name, readable(parameter.type, wanted.data()));
    }
    if (*setup.run.run.float_mode == run_file::FloatMode::fast) return "it is for float = \"exact\"";
    return {};
}

} // namespace tessera::bench
