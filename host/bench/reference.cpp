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
#include <fstream>
#include <iterator>

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

// One for each axis of the grid.
template<class T> std::array<T, 3> read_extents(const Node& table, const char* key, std::int64_t most, int dimensions) {
    const char* const expected = dimensions == 3 ? "three integers, for x, y and z" : "two integers, for x and y";
    const auto& node = required(table, key, expected);
    run_file::expect_array(node, expected);
    if (node.items.size() != static_cast<std::size_t>(dimensions)) run_file::fail_expected(node, expected);
    std::array<T, 3> extents{1, 1, 1};
    for (std::size_t axis = 0; axis < node.items.size(); ++axis)
        extents[axis] = static_cast<T>(run_file::read_integer(node.items[axis], 1, most));
    return extents;
}

Each read_each(const Node& table) {
    const auto* each = table.find("each");
    if (each == nullptr) return Each::once;
    return run_file::read_choice(*each, {"place", "agent"}) == 0 ? Each::place : Each::agent;
}

std::vector<OwnColumn> read_columns(const Node& table) {
    std::vector<std::string> types;
    for (auto type = Scalar::boolean; type <= Scalar::f64; type = static_cast<Scalar>(static_cast<int>(type) + 1))
        types.emplace_back(name_of(type));
    std::vector<OwnColumn> columns;
    const auto* list = table.find("columns");
    if (list == nullptr) return columns;
    run_file::expect_array(*list, "an array of tables");
    for (const auto& item : list->items) {
        run_file::expect_keys(item, {"name", "type", "each", "covers", "count"});
        auto& column = columns.emplace_back();
        column.name = run_file::read_identifier(required(item, "name", "a name"), "a name");
        column.type = static_cast<Scalar>(run_file::read_choice(required(item, "type", "a scalar type"), types) + 1);
        column.each = read_each(item);
        if (const auto* covers = item.find("covers")) column.covers = run_file::read_integer(*covers, 1, 1 << 20);
        if (const auto* count = item.find("count")) column.count = run_file::read_integer(*count, 1, 1 << 20);
    }
    return columns;
}

std::vector<OwnKernel> read_kernels(const Node& table, const char* key, bool cuda) {
    std::vector<OwnKernel> kernels;
    const auto* list = table.find(key);
    if (list == nullptr) return kernels;
    run_file::expect_array(*list, "an array of tables");
    for (const auto& item : list->items) {
        run_file::expect_keys(item, cuda ? std::vector<std::string>{"name", "each", "covers", "block"}
                                         : std::vector<std::string>{"name", "each"});
        auto& kernel = kernels.emplace_back();
        kernel.name = run_file::read_identifier(required(item, "name", "a name"), "a name");
        kernel.each = read_each(item);
        if (!cuda) continue;
        kernel.block = static_cast<unsigned>(run_file::read_integer(required(item, "block", "threads of a block"), 1, 1024));
        if (kernel.each == Each::once) continue;
        kernel.covers = run_file::read_integer(required(item, "covers", "for how many a block is"), 1, 1 << 20);
    }
    return kernels;
}

ProgramByHand read_program(const Node& item, const Reference& reference, bool cuda) {
    ProgramByHand program;
    program.columns = read_columns(item);
    program.begin = read_kernels(item, "begin", cuda);
    program.step = read_kernels(item, "step", cuda);
    program.end = read_kernels(item, "end", cuda);
    if (program.step.empty()) run_file::fail_missing(item, "step", "the kernels of a step");
    auto names = handed_columns(reference);
    for (const auto& column : program.columns) names.push_back(column.name);
    const auto* swaps = item.find("swap");
    if (swaps == nullptr) return program;
    run_file::expect_array(*swaps, "an array of pairs of columns");
    for (const auto& pair : swaps->items) {
        run_file::expect_array(pair, "two columns");
        if (pair.items.size() != 2) run_file::fail_expected(pair, "two columns");
        program.swaps.push_back({names[run_file::read_choice(pair.items[0], names)], names[run_file::read_choice(pair.items[1], names)]});
    }
    return program;
}

std::vector<ReferenceSource> read_sources(const Node& document, const char* device, const Reference& reference) {
    std::vector<ReferenceSource> sources;
    const auto* list = document.find(device);
    if (list == nullptr) return sources;
    run_file::expect_array(*list, "an array of tables");
    const bool cuda = std::string(device) == "cuda";
    for (const auto& item : list->items) {
        run_file::expect_keys(item, reference.agents ? std::vector<std::string>{"file", "columns", "begin", "step", "end", "swap"}
                                    : cuda           ? std::vector<std::string>{"file", "steps", "block", "covers", "blocks"}
                                                     : std::vector<std::string>{"file", "steps"});
        auto& source = sources.emplace_back();
        source.file = reference.file.parent_path() / run_file::read_text(required(item, "file", "a source file"), "a source file");
        if (reference.agents) {
            source.program = read_program(item, reference, cuda);
            continue;
        }
        if (const auto* steps = item.find("steps"))
            source.steps = static_cast<std::uint64_t>(run_file::read_integer(*steps, 1, checked_steps));
        if (!cuda) continue;
        source.block = read_extents<unsigned>(item, "block", 1024, reference.dimensions);
        const auto *covers = item.find("covers"), *blocks = item.find("blocks");
        if (covers != nullptr && blocks != nullptr)
            run_file::fail_at(blocks->where, fmt::format("`{}` stands beside `covers`", blocks->path), "both say how many blocks there are",
                              "leave one out");
        if (blocks != nullptr)
            source.blocks = static_cast<unsigned>(run_file::read_integer(*blocks, 1, 1 << 20));
        else
            source.covers = read_extents<int>(item, "covers", 1 << 20, reference.dimensions);
    }
    return sources;
}

ReferenceAgents read_agents(const Node& table) {
    run_file::expect_keys(table, {"collection", "members", "layout", "priority"});
    ReferenceAgents agents;
    const auto& collection = required(table, "collection", "the name of a collection");
    agents.collection = run_file::located(run_file::read_identifier(collection, "the name of a collection"), collection);
    agents.members = read_names(required(table, "members", "an array of names"));
    agents.in_list = run_file::read_choice(required(table, "layout", "\"slots\" or \"list\""), {"slots", "list"}) == 1;
    if (const auto* priority = table.find("priority")) agents.priority = *run_file::read_spelling(run_file::priorities, *priority);
    return agents;
}

// What a model that came with the program has in the folder of models that came with it.
bool came_with_the_program(const model::Model& model) {
    const auto plugins = installed_folder("plugins");
    if (plugins.empty()) return false;
    std::error_code failed;
    return fs::equivalent(plugins / model.description.name, fs::absolute(model.path).parent_path(), failed) && !failed;
}

std::size_t parameter_of(const Setup& setup, const Located<std::string>& name) {
    for (std::size_t i = 0; i < setup.values.parameters.size(); ++i)
        if (setup.values.parameters[i].name == *name) return i;
    run_file::fail_at(name.where, fmt::format("{} has no parameter `{}`", setup.description().name, *name));
}

} // namespace

Reference read_reference(const fs::path& file) {
    const auto layer = run_file::read_layer(file.string());
    const auto document = run_file::parse_document(layer.text, layer.name, layer.folder);
    run_file::expect_keys(document,
                          {"collection", "dimensions", "members", "agents", "boundary", "parameters", "where", "random", "cuda", "cpu"});
    Reference reference;
    reference.file = file;
    if (const auto* agents = document.find("agents")) reference.agents = read_agents(*agents);
    const auto& collection = required(document, "collection", "the name of a collection");
    reference.collection = run_file::located(run_file::read_identifier(collection, "the name of a collection"), collection);
    if (const auto* dimensions = document.find("dimensions"))
        reference.dimensions = static_cast<int>(run_file::read_integer(*dimensions, 2, 3));
    const auto& members = required(document, "members", "an array of one or two members");
    reference.members = read_names(members);
    if (!reference.agents && (reference.members.empty() || reference.members.size() > 2))
        run_file::fail_expected(members, "an array of one or two members");
    if (const auto* boundary = document.find("boundary")) reference.boundary = *run_file::read_spelling(run_file::boundaries, *boundary);
    if (const auto* parameters = document.find("parameters")) reference.parameters = read_names(*parameters);
    if (const auto* where = document.find("where")) {
        run_file::expect_table(*where);
        for (const auto& item : where->items)
            reference.where.push_back({run_file::located_key(item), run_file::located(run_file::read_number(item), item)});
    }
    if (const auto* random = document.find("random"))
        reference.random = run_file::located(run_file::read_text(*random, "a function, as \"walker.walk\""), *random);
    reference.cuda = read_sources(document, "cuda", reference);
    reference.cpu = read_sources(document, "cpu", reference);
    return reference;
}

std::string author_text(const Reference& reference, const ReferenceSource& source) {
    std::ifstream stream(source.file, std::ios::binary);
    if (!stream)
        throw Error(Failure::input, fmt::format("cannot read {}", source.file.string()),
                    fmt::format("{} names it", reference.file.string()));
    return {std::istreambuf_iterator<char>(stream), {}};
}

std::vector<std::string> handed_columns(const Reference& reference) {
    std::vector<std::string> names;
    const auto add = [&](const std::string& collection, const std::string& member) { names.push_back(collection + "_" + member); };
    for (const auto& member : reference.members) add(*reference.collection, *member);
    const auto& agents = *reference.agents;
    add(*agents.collection, "id");
    if (agents.in_list) add(*agents.collection, "place");
    for (const auto& member : agents.members) add(*agents.collection, *member);
    return names;
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

namespace {

// As above, of the agents that programs are for.
std::string obstacle_of_agents(const Reference& reference, const Setup& setup) {
    const auto& agents = *reference.agents;
    const auto found = setup.find_collection(*agents.collection);
    if (!found || !setup.collections[*found].agents) return fmt::format("there are no agents `{}`", *agents.collection);
    const auto& collection = setup.collections[*found];
    const auto& agents_setup = *collection.agents;
    if (setup.collections[agents_setup.ground].name != *reference.collection)
        return fmt::format("{} do not stand on {}", collection.name, *reference.collection);
    const auto& row = setup.row_of(collection);
    for (const auto& name : agents.members)
        if (row.members[require_member(row, *name, name.where)].elements != 1)
            run_file::fail_at(name.where, fmt::format("{}.{} cannot be passed", collection.name, *name), "it is an array");
    if (agents_setup.space || agents_setup.most_on_place != (agents.in_list ? 0 : 1))
        return fmt::format("it is for agents.{}.capacity = {}", collection.name, agents.in_list ? "\"unlimited\"" : "1");
    if (agents.priority && agents_setup.priority != *agents.priority)
        return fmt::format("it is for agents.{}.priority = \"{}\"", collection.name,
                           run_file::spelling_of(run_file::priorities, *agents.priority));
    return {};
}

} // namespace

std::string obstacle(const Reference& reference, const Setup& setup) {
    const auto found = setup.find_collection(*reference.collection);
    if (!found) return fmt::format("there is no collection `{}`", *reference.collection);
    const auto& collection = setup.collections[*found];
    const auto& row = setup.row_of(collection);
    if (collection.dimensions != reference.dimensions)
        return fmt::format("{} is not a grid of {} dimensions", collection.name, reference.dimensions == 2 ? "two" : "three");
    for (const auto& name : reference.members) {
        const auto& first = row.members[require_member(row, *reference.members.front(), reference.members.front().where)];
        const auto& member = row.members[require_member(row, *name, name.where)];
        if (member.elements != 1 || (member.type != first.type && !reference.agents))
            run_file::fail_at(name.where, fmt::format("{}.{} cannot be passed", collection.name, member.name),
                              "members have one type, and are no arrays");
    }
    if (reference.agents)
        if (const auto why = obstacle_of_agents(reference, setup); !why.empty()) return why;
    if (reference.random) {
        const auto is_this = [&](const KernelSetup& kernel) { return kernel.name == **reference.random; };
        if (std::none_of(setup.kernels.begin(), setup.kernels.end(), is_this)) return fmt::format("{} is not called", **reference.random);
    }
    for (std::size_t axis = 0; reference.boundary && axis < static_cast<std::size_t>(collection.dimensions); ++axis)
        if (collection.boundary[axis] != *reference.boundary)
            return fmt::format("it is for the boundary {}", run_file::spelling_of(run_file::boundaries, *reference.boundary));
    for (const auto& name : reference.parameters) (void)parameter_of(setup, name);
    for (const auto& [name, number] : reference.where) {
        const auto& parameter = setup.values.parameters[parameter_of(setup, name)];
        const auto wanted = value_bytes(*number, parameter.type, number.where, parameter.name);
        if (wanted != parameter.bytes) return fmt::format("it is for {} = {}", parameter.name, readable(parameter.type, wanted.data()));
    }
    if (setup.modes().is_fast()) return "it is for float = \"exact\"";
    return {};
}

} // namespace tessera::bench
