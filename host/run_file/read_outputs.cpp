// [[output]].
#include "host/run_file/checks.hpp"
#include "host/run_file/keys.hpp"
#include "host/run_file/nearest.hpp"
#include "host/run_file/sections.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>

namespace tessera::run_file {
namespace {

const char* const attribute_form = "a member of a collection, as in \"cell.alive\"";

Csv read_csv(const Node& table) {
    const std::string expected = "a table of expressions, as in { alive = \"sum(cell.alive)\" }";
    const auto* columns = table.find("columns");
    if (!columns) fail_missing(table, "columns", expected);
    if (!columns->is(Node::Kind::table) || columns->items.empty()) fail_expected(*columns, expected);
    Csv csv;
    for (const auto& item : columns->items) csv.columns.push_back({located_key(item), read_expression(item)});
    return csv;
}

Located<QualifiedName> read_attribute(const Node& table) {
    const auto* attribute = table.find("attribute");
    if (!attribute) fail_missing(table, "attribute", attribute_form);
    return read_qualified_name(*attribute, attribute_form);
}

Located<std::string> read_colours(const Node& node) {
    return located(read_identifier(node, "the name of a colour map, as in \"viridis\""), node);
}

// What a map's ends stand for, of a picture or of an overlay.
template<class Style> void read_range(const Node& table, Style& style) {
    if (const auto* low = table.find("low")) style.low = located(read_finite(*low), *low);
    if (const auto* high = table.find("high")) style.high = located(read_finite(*high), *high);
    if (style.low && style.high && style.low->value >= style.high->value)
        fail_expected(*table.find("high"), fmt::format("more than `low`, {}", style.low->value));
}

OverlayStyle read_overlay(const Node& node) {
    OverlayStyle style;
    if (node.is(Node::Kind::text)) {
        style.colour = located(node.text, node);
        return style;
    }
    const std::string expected =
        "a colour, as in \"black\" or \"#ff8000\", or a member and its colours, as in { attribute = \"kind\", colours = \"categories\" }";
    if (!node.is(Node::Kind::table)) fail_expected(node, expected);
    expect_keys(node, keys_of("overlay"), "an overlay");
    const auto *member = node.find("attribute"), *colours = node.find("colours");
    if (member == nullptr) fail_missing(node, "attribute", "a member of the agents, as in \"kind\"");
    style.member = located(read_identifier(*member, "a member of the agents, as in \"kind\""), *member);
    style.colours = colours != nullptr ? read_colours(*colours) : Located<std::string>{"viridis", node.where};
    read_range(node, style);
    return style;
}

// Agents alone are drawn over white.
void refuse_map_of_nothing(const Node& table) {
    for (const char* key : {"colours", "low", "high", "element"})
        if (const auto* node = table.find(key))
            fail_at(node->key_where, fmt::format("`{}` does not use `{}`", table.path, key), "it has no `attribute`",
                    "give it one, or remove the key; the colours of agents are keys of their table in `overlay`");
}

Png read_png(const Node& table) {
    Png png;
    if (table.find("attribute"))
        png.attribute = read_attribute(table);
    else if (!table.find("overlay"))
        fail_missing(table, "attribute", fmt::format("{}, or an `overlay` of agents", attribute_form));
    if (!png.attribute) refuse_map_of_nothing(table);
    png.colours = {"grey", table.where};
    if (const auto* colours = table.find("colours")) png.colours = read_colours(*colours);
    read_range(table, png);
    const auto count = [&](const char* key, std::int64_t least, std::int64_t most) -> std::optional<Located<std::uint64_t>> {
        const auto* node = table.find(key);
        if (!node) return std::nullopt;
        return located(static_cast<std::uint64_t>(read_integer(*node, least, most)), *node);
    };
    if (const auto scale = count("scale", 1, 256)) png.scale = *scale;
    if (const auto* overlay = table.find("overlay")) {
        const std::string expected = "a table of colours, as in { ant = \"black\" }";
        expect_table(*overlay, expected);
        for (const auto& item : overlay->items) png.overlay.push_back({located_key(item), read_overlay(item)});
    }
    png.slice = count("slice", 0, largest_integer);
    png.element = count("element", 0, largest_integer);
    return png;
}

// A row for each agent, or for each link: `file` says for which.
template<class Rows> Rows read_rows(const Node& table, const Node& file, const std::string& example) {
    const std::string expected = fmt::format("a collection of {}, as in \"{}\"", file.key, example);
    const auto* attribute = table.find("attribute");
    if (!attribute) fail_missing(table, "attribute", expected);
    const auto ends_in = [&](std::string_view ending) { return file.text.size() > ending.size() && file.text.ends_with(ending); };
    if (!ends_in(".csv") && !ends_in(".npy"))
        fail_at(file.where, fmt::format("`{}` has no known ending", file.text), fmt::format("{} are written as .csv or .npy", file.key),
                fmt::format("name it {}-{{step}}.csv, say", file.key));
    return {located(read_identifier(*attribute, expected), *attribute), ends_in(".npy")};
}

// The key that says which kind of file it is.
const Node& find_format(const Node& table) {
    const auto kinds = kinds_of("[[output]]");
    const Node* found = nullptr;
    for (const auto& kind : kinds) {
        const auto* node = table.find(kind);
        if (node && found)
            fail_at(node->key_where, fmt::format("`{}` and `{}` in one output", found->key, kind), "an output is one kind of file",
                    "start another [[output]]");
        if (node) found = node;
    }
    if (found) return *found;
    std::string suggestion;
    for (const auto& item : table.items)
        if (suggestion.empty()) suggestion = did_you_mean(item.key, kinds);
    fail_at(table.where, fmt::format("`{}` names no file", table.path), "expected one of " + listed(kinds), suggestion);
}

Located<FileName> read_file_name(const Node& node, bool one_file_a_step) {
    auto name = located(FileName::parse(located(read_text(node, "the name of a file"), node)), node);
    if (one_file_a_step && !name->has_step())
        fail_at(node.where, fmt::format("`{}` is one name for many files", node.text),
                "each step that is written would replace the one before it", "put `{step}` or `{step:06}` into it");
    if (!one_file_a_step && name->has_step())
        fail_at(node.where, fmt::format("`{}` names a file for each step", node.text), "a csv output is one file with a row for each step",
                "leave the `{step}` out");
    return name;
}

Located<Output> read_output(const Node& table) {
    expect_table(table, "a table: [[output]]");
    const auto& file = find_format(table);
    expect_keys(table, keys_of("[[output]]", file.key), fmt::format("a {} output", file.key));
    if (!table.find("every")) fail_missing(table, "every", "the number of steps from one written state to the next");
    Output output;
    output.file = read_file_name(file, file.key != "csv");
    output.timing = read_timing(table, 1);
    if (file.key == "csv")
        output.content = read_csv(table);
    else if (file.key == "npy")
        output.content = Npy{read_attribute(table)};
    else if (file.key == "png")
        output.content = read_png(table);
    else if (file.key == "agents")
        output.content = read_rows<AgentRows>(table, file, "ant");
    else
        output.content = read_rows<LinkRows>(table, file, "contact");
    return located(std::move(output), table);
}

// Of two files that exclude each other.
void refuse_in_the_way(const Located<Output>& output, const std::vector<Located<Output>>& others) {
    for (const auto& other : others) {
        if (!FileName::exclude_each_other(*output->file, *other->file)) continue;
        fail_at(
            output->file.where, fmt::format("`{}` and `{}` cannot both be written", output->file->text(), other->file->text()),
            fmt::format("they have the name of one file at some step, or one is a file where the other needs a folder; the other is at {}",
                        to_string(other->file.where)),
            "give each its own name");
    }
}

} // namespace

std::vector<Located<Output>> read_outputs(const Node& node) {
    expect_array(node, "a list of tables: [[output]]");
    std::vector<Located<Output>> outputs;
    std::unordered_map<std::string, Where> written;
    for (const auto& item : node.items) {
        auto output = read_output(item);
        const auto [same, is_new] = written.emplace(output->file->pattern(), output->file.where);
        if (!is_new)
            fail_at(output->file.where, fmt::format("two outputs write `{}`", output->file->text()),
                    "the other is at " + to_string(same->second), "give each its own name");
        refuse_in_the_way(output, outputs);
        outputs.push_back(std::move(output));
    }
    return outputs;
}

} // namespace tessera::run_file
