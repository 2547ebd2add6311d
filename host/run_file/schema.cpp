#include "host/run_file/schema.hpp"

#include "host/run_file/key_types.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <regex>

namespace tessera::run_file {
namespace {

using Json = nlohmann::ordered_json;

const char* const name_pattern = "^[A-Za-z_][A-Za-z0-9_]*$";

// A link's text without the page that it leads to.
std::string without_links(const std::string& text) {
    static const std::regex link(R"(\[([^\]]*)\]\([^)]*\))");
    return std::regex_replace(text, link, "$1");
}

// What an editor shows of a key. `-` as standard: it has to be given.
std::string description(const std::string& text, const std::string& standard) {
    auto shown = without_links(text);
    if (!standard.empty() && standard != "-") shown += fmt::format("{}Default: {}", shown.empty() ? "" : ". ", without_links(standard));
    return shown;
}

// "`"auto"`" -> "auto"; nothing of a default that is told in words.
Json value_of(const std::string& standard) {
    if (standard.size() < 2 || standard.front() != '`' || standard.back() != '`') return Json::value_t::discarded;
    return Json::parse(standard.substr(1, standard.size() - 2), nullptr, false);
}

// Nothing beside a `$ref` counts in this draft: the reference then goes into a list of one.
Json described(Json schema, const std::string& text, const std::string& standard) {
    if (schema.contains("$ref")) schema = Json{{"allOf", Json::array({std::move(schema)})}};
    if (const auto shown = description(text, standard); !shown.empty()) schema["description"] = shown;
    if (auto value = value_of(standard); !value.is_discarded()) schema["default"] = std::move(value);
    return schema;
}

Json table() { return {{"type", "object"}, {"properties", Json::object()}, {"additionalProperties", false}}; }

// A key of a table: "size", "init.MEMBER", "NAME" of [params]. In a table of a kind, a key that names the kind is that name.
void add_key(Json& to, const Key& key, const std::string& kind = {}) {
    auto schema = Json::parse(key.type.schema);
    if (schema.contains("enum") && std::find(schema["enum"].begin(), schema["enum"].end(), kind) != schema["enum"].end())
        schema = Json{{"enum", Json::array({kind})}};
    schema = described(std::move(schema), key.text, key.standard);
    const auto name = first_name(key.name);
    if (key.name == "NAME")
        to["additionalProperties"] = std::move(schema);
    else if (key.name != name)
        to["properties"][name] = {{"type", "object"}, {"additionalProperties", std::move(schema)}};
    else
        to["properties"][name] = std::move(schema);
}

// Whether it may be left out: in a section that may not, what the file lacks may stand in the model's defaults.
enum class Missing { allowed, refused };

Json table_of(const Section& section, const std::string& kind, Missing missing) {
    auto result = table();
    auto needed = Json::array();
    for (const auto& key : section.keys) {
        if (!kind.empty() && !key.of.empty() && std::find(key.of.begin(), key.of.end(), kind) == key.of.end()) continue;
        add_key(result, key, kind);
        if (key.standard == "-" || key.name == kind) needed.push_back(key.name);
    }
    if (missing == Missing::refused && !needed.empty()) result["required"] = std::move(needed);
    return result;
}

// Tables of which each is of one of several kinds.
Json one_of_kinds(const Section& section, const std::vector<std::string>& kinds) {
    auto choices = Json::array();
    for (const auto& kind : kinds) choices.push_back(table_of(section, kind, Missing::refused));
    return {{"anyOf", std::move(choices)}};
}

const Section& of_tables(const std::string& heading) {
    const auto& all = keys_of_tables();
    return *std::find_if(all.begin(), all.end(), [&](const Section& section) { return section.heading == heading; });
}

// A phase within `repeat` has no steps of its own, and repeats nothing.
Json phases_to_repeat() {
    auto section = of_tables("[[phase]]");
    std::erase_if(section.keys, [](const Key& key) { return key.of.empty(); });
    auto kinds = kinds_of("[[phase]]");
    std::erase(kinds, "repeat");
    return one_of_kinds(section, kinds);
}

Json array_of(Json items) { return {{"type", "array"}, {"items", std::move(items)}}; }

// Initial values of places: constants, tables, or tables one over the other. Of agents, what needs no grid.
void add_initial_values(Json& definitions) {
    const auto& section = of_tables("init");
    definitions["init_table"] = one_of_kinds(section, kinds_of("init"));
    const Json constant{{"$ref", "#/definitions/constant"}}, ref{{"$ref", "#/definitions/init_table"}};
    auto tables = array_of(ref);
    tables["minItems"] = 1;
    definitions["init"] = {{"anyOf", {constant, ref, tables}}};
    auto of_agents = section;
    std::erase_if(of_agents.keys, [](const Key& key) { return key.name == "box"; });
    auto kinds = kinds_of("init");
    std::erase(kinds, "file");
    definitions["init_of_agents"] = {{"anyOf", {constant, one_of_kinds(of_agents, kinds)}}};
}

Json definitions() {
    const Json number_or_boolean{{"type", {"number", "boolean"}}}, corner = Json::parse(schema::one_an_extent(R"({"type":"integer"})"));
    Json all;
    auto several = array_of(number_or_boolean), corners = array_of(corner);
    several["minItems"] = 1;
    corners["minItems"] = corners["maxItems"] = 2;
    all["constant"] = {{"anyOf", {number_or_boolean, several}}};
    all["corners"] = corners;
    all["phase"] = one_of_kinds(of_tables("[[phase]]"), kinds_of("[[phase]]"));
    all["phase_to_repeat"] = phases_to_repeat();
    all["repeat"] = one_of_kinds(of_tables("repeat"), kinds_of("repeat"));
    all["output"] = one_of_kinds(of_tables("[[output]]"), kinds_of("[[output]]"));
    all["overlay"] = table_of(of_tables("overlay"), {}, Missing::refused);
    all["checkpoint"] = table_of(of_tables("checkpoint"), {}, Missing::refused);
    all["start"] = table_of(of_tables("start"), {"checkpoint"}, Missing::refused);
    all["generate"] = table_of(of_tables("generate"), {}, Missing::allowed);
    add_initial_values(all);
    return all;
}

// "[run]", "[places.NAME]", "[[phase]]".
void add_section(Json& to, const Section& section) {
    const auto& [heading, meaning, keys] = section;
    const auto name = first_name(heading);
    Json schema;
    if (heading.starts_with("[["))
        schema = array_of({{"$ref", "#/definitions/" + name}});
    else if (heading.find('.') == std::string::npos)
        schema = table_of(section, {}, Missing::allowed);
    else
        schema = {{"type", "object"},
                  {"patternProperties", {{name_pattern, described(table_of(section, {}, Missing::allowed), meaning.text, "")}}},
                  {"additionalProperties", false}};
    to["properties"][name] = described(std::move(schema), meaning.text, meaning.standard);
}

} // namespace

std::string schema_of_run_files() {
    Json all{{"$schema", "http://json-schema.org/draft-07/schema#"},
             {"title", "A run file of Tessera"},
             {"type", "object"},
             {"properties", Json::object()},
             {"additionalProperties", false}};
    for (const auto& section : all_keys()) {
        if (section.heading.empty())
            for (const auto& key : section.keys) add_key(all, key);
        else
            add_section(all, section);
    }
    all["definitions"] = definitions();
    return all.dump(2) + "\n";
}

} // namespace tessera::run_file
