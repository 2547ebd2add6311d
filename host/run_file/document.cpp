#include "host/run_file/document.hpp"

#include "host/run_file/nesting.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <stdexcept>
#include <utility>
#include <vector>

namespace tessera::run_file {
namespace {

// What every node of one text has in common.
struct Source {
    std::string name;
    std::string folder;
    const Where* fixed = nullptr; // where everything is, for a value that was typed on the command line
};

Where where_of(const toml::source_region& region, const Source& source, const Where& around) {
    if (source.fixed) return *source.fixed;
    if (!region.begin) return around; // a table that only its members' names imply
    return {source.name, static_cast<int>(region.begin.line), static_cast<int>(region.begin.column)};
}

std::string child_path(const std::string& path, const std::string& key) { return path.empty() ? key : path + "." + key; }

Node convert(const toml::node& from, const Source& source, const std::string& path, const Where& around);

// The library sorts keys by name; columns of an output, say, are to stay in the order of the text, be it a file's or an override's.
std::vector<std::pair<const toml::key*, const toml::node*>> in_order_of_text(const toml::table& table) {
    std::vector<std::pair<const toml::key*, const toml::node*>> items;
    for (auto&& [key, value] : table) items.emplace_back(&key, &value);
    const auto position = [](const toml::key& key) { return std::pair(key.source().begin.line, key.source().begin.column); };
    std::stable_sort(items.begin(), items.end(), [&](const auto& a, const auto& b) { return position(*a.first) < position(*b.first); });
    return items;
}

void convert_table(const toml::table& from, const Source& source, Node& to) {
    for (const auto& [key, value] : in_order_of_text(from)) {
        const std::string name(key->str());
        auto child = convert(*value, source, child_path(to.path, name), to.where);
        child.key = name;
        child.key_where = where_of(key->source(), source, to.where);
        to.items.push_back(std::move(child));
    }
}

Node convert(const toml::node& from, const Source& source, const std::string& path, const Where& around) {
    Node to;
    to.where = where_of(from.source(), source, around);
    to.path = path;
    to.folder = source.folder;
    if (const auto* table = from.as_table()) {
        to.kind = Node::Kind::table;
        convert_table(*table, source, to);
    } else if (const auto* array = from.as_array()) {
        to.kind = Node::Kind::array;
        for (const auto& item : *array)
            to.items.push_back(convert(item, source, child_path(path, std::to_string(to.items.size())), to.where));
    } else if (const auto* integer = from.as_integer()) {
        to.kind = Node::Kind::integer;
        to.integer = integer->get();
    } else if (const auto* number = from.as_floating_point()) {
        to.kind = Node::Kind::number;
        to.number = number->get();
    } else if (const auto* boolean = from.as_boolean()) {
        to.kind = Node::Kind::boolean;
        to.boolean = boolean->get();
    } else if (const auto* text = from.as_string()) {
        to.kind = Node::Kind::text;
        to.text = text->get();
    } else {
        to.kind = Node::Kind::date;
    }
    return to;
}

// "Error while parsing value: could not ..." -> "value: could not ..."
std::string reason(const toml::parse_error& error) {
    std::string text(error.description());
    const std::string opening = "Error while parsing ";
    if (text.compare(0, opening.size(), opening) == 0) text.erase(0, opening.size());
    return text;
}

// Tables within tables take stack from all that walks over them, the parser included.
std::string too_deep_reason() { return fmt::format("more than {} names and brackets within each other", deepest_key); }

toml::table parse_line(const std::string& line) {
    if (too_deep(line)) throw std::invalid_argument(too_deep_reason());
    try {
        return toml::parse(std::string_view(line));
    } catch (const toml::parse_error& error) {
        throw std::invalid_argument(reason(error));
    }
}

} // namespace

const Node* Node::find(const std::string& wanted) const noexcept {
    const auto found = std::find_if(items.begin(), items.end(), [&](const Node& item) { return item.key == wanted; });
    return kind == Kind::table && found != items.end() ? &*found : nullptr;
}

Node* Node::find(const std::string& wanted) noexcept { return const_cast<Node*>(static_cast<const Node*>(this)->find(wanted)); }

Node parse_document(const std::string& text, const std::string& name, const std::string& folder) {
    if (const auto depth = too_deep(text))
        fail_at({name, depth->line, depth->column}, "nested too deeply", too_deep_reason(), "use fewer dots and brackets");
    try {
        const auto table = toml::parse(std::string_view(text));
        return convert(table, {name, folder, nullptr}, "", {name, 1, 1});
    } catch (const toml::parse_error& error) {
        const auto& begin = error.source().begin;
        fail_at({name, std::max(1, static_cast<int>(begin.line)), std::max(1, static_cast<int>(begin.column))}, "malformed TOML",
                reason(error));
    }
}

Node parse_value(const std::string& text, const std::string& path, const Where& where) {
    const auto table = parse_line("value = " + text);
    const auto* value = table.get("value");
    if (table.size() != 1 || !value) throw std::invalid_argument("more than one value");
    return convert(*value, {where.file, "", &where}, path, where);
}

std::vector<std::string> parse_key_path(const std::string& path) {
    if (path.find('\n') != std::string::npos) throw std::invalid_argument("a line break");
    const auto line = parse_line(path + " = 0");
    std::vector<std::string> keys;
    for (const toml::node* node = &line; const auto* table = node->as_table();) {
        if (table->size() != 1) throw std::invalid_argument("not one key");
        keys.emplace_back(table->begin()->first.str());
        node = &table->begin()->second;
    }
    return keys;
}

} // namespace tessera::run_file
