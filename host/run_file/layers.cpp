#include "host/run_file/document.hpp"
#include "host/run_file/nearest.hpp"
#include "host/run_file/old_keys.hpp"
#include "host/run_file/run_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <set>
#include <stdexcept>
#include <unordered_map>

namespace tessera::run_file {
namespace {

using Keys = std::vector<std::string>;

// An initial value, and where agents stand, is a table by its form alone: half of one and half of another would be neither.
bool is_one_value(const Keys& keys) {
    if (keys.size() == 3) return (keys[0] == "agents" && keys[2] == "place") || (keys[0] == "links" && keys[2] == "generate");
    return keys.size() == 4 && (keys[0] == "places" || keys[0] == "agents" || keys[0] == "links") && keys[2] == "init";
}

void merge(Node& base, Node&& over, Keys& keys) {
    if (!base.is(Node::Kind::table) || !over.is(Node::Kind::table) || is_one_value(keys)) {
        base = std::move(over);
        return;
    }
    base.where = over.where;
    base.key_where = over.key_where;
    base.folder = over.folder;
    std::unordered_map<std::string, std::size_t> present; // there may be very many of them
    for (std::size_t i = 0; i < base.items.size(); ++i) present.emplace(base.items[i].key, i);
    for (auto& item : over.items) {
        keys.push_back(item.key);
        if (const auto found = present.find(item.key); found != present.end())
            merge(base.items[found->second], std::move(item), keys);
        else
            base.items.push_back(std::move(item));
        keys.pop_back();
    }
}

struct Override {
    Where where;
    Keys keys;
    std::string value;
};

// The first `=` outside quotes ends the key.
std::size_t end_of_key(const std::string& text) {
    char quote = 0;
    for (std::size_t i = 0; i < text.size(); ++i) {
        if (quote)
            quote = text[i] == quote ? '\0' : quote;
        else if (text[i] == '"' || text[i] == '\'')
            quote = text[i];
        else if (text[i] == '=')
            return i;
    }
    return std::string::npos;
}

Override split_override(const std::string& text) {
    Override result{{"--set " + text, 0, 0}, {}, {}};
    const auto end = end_of_key(text);
    if (end == std::string::npos) fail_at(result.where, "no value", "expected key=value, as in run.steps=100");
    result.value = text.substr(end + 1);
    if (result.value.find_first_not_of(" \t") == std::string::npos) fail_at(result.where, "no value after the `=`");
    try {
        result.keys = parse_key_path(text.substr(0, end));
    } catch (const std::invalid_argument& error) {
        fail_at(result.where, "bad key", error.what(), "write names with dots between them, as in places.cell.size or output.0.every");
    }
    return result;
}

// A value in TOML; what is none, and does not start like a TOML string, array or table, is a string without its quotes.
Node override_value(const Override& setting, const std::string& path) {
    try {
        return parse_value(setting.value, path, setting.where);
    } catch (const std::invalid_argument& error) {
        const auto first = setting.value.find_first_not_of(" \t");
        if (std::string("[{\"'").find(setting.value[first]) != std::string::npos) fail_at(setting.where, "bad value", error.what());
    }
    Node node;
    node.kind = Node::Kind::text;
    node.where = setting.where;
    node.path = path;
    node.text = setting.value;
    return node;
}

Node* item_of_array(Node& array, const std::string& key, const Where& where) {
    std::size_t index = 0;
    const auto [end, error] = std::from_chars(key.data(), key.data() + key.size(), index);
    if (error != std::errc{} || end != key.data() + key.size())
        fail_at(where, fmt::format("`{}` has no key `{}`", array.path, key), "it is an array", "name an item by its number, from 0");
    if (index >= array.items.size())
        fail_at(where, fmt::format("`{}` has no item {}", array.path, key), fmt::format("it has {}, counted from 0", array.items.size()));
    return &array.items[index];
}

// The node that `key` names within `node`; an empty table where there is none yet.
Node* step_into(Node& node, const std::string& key, const Where& where) {
    if (node.is(Node::Kind::array)) return item_of_array(node, key, where);
    if (!node.is(Node::Kind::table)) fail_at(where, fmt::format("`{}` has no key `{}`", node.path, key), "it is a single value");
    if (auto* present = node.find(key)) return present;
    Node created;
    created.key = key;
    created.where = created.key_where = where;
    created.path = node.path.empty() ? key : node.path + "." + key;
    node.items.push_back(std::move(created));
    return &node.items.back();
}

// ---- collections of the defaults

using Names = std::set<std::string>; // "places.left", "agents.ant"; "output" where there are any

bool has_collections(const std::string& key) { return key == "places" || key == "agents" || key == "links"; }

void add_collections(const Node& table, Names& names) {
    for (const auto& section : table.items)
        if (has_collections(section.key) && section.is(Node::Kind::table))
            for (const auto& collection : section.items) names.insert(section.key + "." + collection.key);
    if (table.find("output") != nullptr) names.insert("output");
}

std::string type_of(const Node& collection) {
    const auto* const type = collection.find("type");
    return type != nullptr && type->is(Node::Kind::text) ? type->text : collection.key;
}

// Whether a text of it names the collection: "wave", "sum(wave.now)".
bool mentions(const Node& node, const std::string& collection) {
    const auto is_of_name = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_'; };
    for (auto at = node.text.find(collection); at != std::string::npos; at = node.text.find(collection, at + 1)) {
        const auto end = at + collection.size();
        const bool begins = at == 0 || (!is_of_name(node.text[at - 1]) && node.text[at - 1] != '.');
        if (begins && (end == node.text.size() || node.text[end] == '.' || node.text[end] == ')')) return true;
    }
    return std::any_of(node.items.begin(), node.items.end(), [&](const Node& item) { return mentions(item, collection); });
}

// Leaves out each collection of the defaults that nobody else names, where others of its type have been named, and the outputs of the
// defaults that are of such a collection.
void leave_out_replaced(Node& document, const Names& of_defaults, const Names& named) {
    std::vector<std::string> gone;
    for (auto& section : document.items) {
        if (!has_collections(section.key) || !section.is(Node::Kind::table)) continue;
        const auto is_in = [&](const Names& names, const Node& collection) { return names.count(section.key + "." + collection.key) != 0; };
        std::set<std::string> others;
        for (const auto& collection : section.items)
            if (!is_in(of_defaults, collection)) others.insert(type_of(collection));
        std::erase_if(section.items, [&](const Node& collection) {
            if (!is_in(of_defaults, collection) || is_in(named, collection) || others.count(type_of(collection)) == 0) return false;
            gone.push_back(collection.key);
            return true;
        });
    }
    auto* const outputs = document.find("output");
    if (outputs == nullptr || named.count("output") != 0) return;
    for (const auto& collection : gone) std::erase_if(outputs->items, [&](const Node& output) { return mentions(output, collection); });
}

void apply(Node& document, const std::string& text, Names& named, std::vector<std::string>& remarks) {
    auto setting = split_override(text);
    rename_old_keys(setting.keys, setting.where, remarks);
    if (setting.keys.size() > 1 && has_collections(setting.keys[0])) named.insert(setting.keys[0] + "." + setting.keys[1]);
    if (setting.keys[0] == "output") named.insert("output");
    Node* node = &document;
    for (const auto& key : setting.keys) node = step_into(*node, key, setting.where);
    auto value = override_value(setting, node->path);
    value.key = node->key;
    value.key_where = setting.where;
    rename_old_keys(value, setting.keys, remarks);
    if (setting.keys.size() == 1 && has_collections(value.key))
        for (const auto& collection : value.items) named.insert(value.key + "." + collection.key);
    merge(*node, std::move(value), setting.keys);
}

void set_model(Node& document, const std::string& model) {
    auto& node = *step_into(document, "model", document.where);
    node.kind = Node::Kind::text;
    node.text = model;
    node.folder = document.folder;
}

} // namespace

Node merge_layers(const std::vector<Layer>& layers, const std::vector<std::string>& overrides, std::vector<std::string>& remarks) {
    Node document;
    document.where = {layers.empty() ? "run file" : layers.back().name, 1, 1};
    Names of_defaults, named;
    for (const auto& layer : layers) {
        Keys keys;
        auto document_of_layer = parse_document(layer.text, layer.name, layer.folder);
        if (layer.model) set_model(document_of_layer, *layer.model);
        std::vector<std::string> of_model; // which the user cannot change
        rename_old_keys(document_of_layer, {}, layer.is_of_model ? of_model : remarks);
        add_collections(document_of_layer, layer.is_of_model ? of_defaults : named);
        merge(document, std::move(document_of_layer), keys);
    }
    for (const auto& text : overrides) apply(document, text, named, remarks);
    leave_out_replaced(document, of_defaults, named);
    return document;
}

} // namespace tessera::run_file
