#include "host/run_file/checks.hpp"

#include "device_runtime/error.hpp"
#include "host/run_file/nearest.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace tessera::run_file {
namespace {

using Kind = Node::Kind;

std::string quoted(const std::string& text) {
    constexpr std::size_t longest = 60;
    return '"' + (text.size() <= longest ? text : text.substr(0, longest) + "...") + '"';
}

std::vector<std::string> in_quotes(std::vector<std::string> names, char quote) {
    for (auto& name : names) name = quote + name + quote;
    return names;
}

} // namespace

std::string describe(const Node& node) {
    switch (node.kind) {
    case Kind::integer: return fmt::format("the integer {}", node.integer);
    case Kind::number: return fmt::format("the number {}", node.number);
    case Kind::boolean: return node.boolean ? "true" : "false";
    case Kind::text: return "the string " + quoted(node.text);
    case Kind::date: return "a date or a time";
    case Kind::array: return node.items.empty() ? "an empty array" : "an array";
    case Kind::table: break;
    }
    return "a table";
}

void fail_expected(const Node& node, const std::string& expected, const std::string& suggestion) {
    fail_at(node.where, fmt::format("`{}` is {}", node.path, describe(node)), "expected " + expected, suggestion);
}

void fail_missing(const Node& table, const std::string& key, const std::string& expected) {
    const auto place = table.path.empty() ? std::string{} : fmt::format(" in `{}`", table.path);
    fail_at(table.where, fmt::format("no `{}`{}", key, place), "expected " + expected);
}

void expect_table(const Node& node, const std::string& expected) {
    if (!node.is(Kind::table)) fail_expected(node, expected);
}

void expect_array(const Node& node, const std::string& expected) {
    if (!node.is(Kind::array)) fail_expected(node, expected);
}

void expect_keys(const Node& node, const std::vector<std::string>& known, const std::string& kind) {
    expect_table(node);
    for (const auto& item : node.items) {
        if (std::find(known.begin(), known.end(), item.key) != known.end()) continue;
        auto place = node.path.empty() ? std::string{} : fmt::format(" in `{}`", node.path);
        if (!kind.empty()) place += ", " + kind;
        fail_at(item.key_where, fmt::format("unknown key `{}`{}", item.key, place), "known are " + listed(known),
                did_you_mean(item.key, known));
    }
}

std::string read_text(const Node& node, const std::string& expected) {
    if (!node.is(Kind::text)) fail_expected(node, expected);
    return node.text;
}

bool read_boolean(const Node& node) {
    if (!node.is(Kind::boolean)) fail_expected(node, "true or false");
    return node.boolean;
}

std::int64_t read_integer(const Node& node, std::int64_t low, std::int64_t high) {
    if (node.is(Kind::integer) && node.integer >= low && node.integer <= high) return node.integer;
    if (high == largest_integer)
        fail_expected(node, low == -largest_integer - 1 ? "an integer" : fmt::format("an integer, {} or more", low));
    fail_expected(node, fmt::format("an integer from {} to {}", low, high));
}

double read_finite(const Node& node) {
    if (node.is(Kind::integer)) return static_cast<double>(node.integer);
    if (!node.is(Kind::number) || !std::isfinite(node.number)) fail_expected(node, "a finite number");
    return node.number;
}

Number read_number(const Node& node, const std::string& expected) {
    switch (node.kind) {
    case Kind::integer: return node.integer;
    case Kind::number: return node.number;
    case Kind::boolean: return node.boolean;
    default: fail_expected(node, expected);
    }
}

Constant read_constant(const Node& node, const std::string& expected) {
    Constant constant;
    constant.is_array = node.is(Kind::array);
    if (!constant.is_array)
        constant.numbers.push_back(located(read_number(node, expected), node));
    else if (node.items.empty())
        fail_expected(node, expected);
    else
        for (const auto& item : node.items) constant.numbers.push_back(located(read_number(item), item));
    return constant;
}

std::vector<std::int64_t> read_coordinates(const Node& node, std::size_t dimensions) {
    const auto expected = dimensions == 1 ? std::string("an array of 1 integer, as `size` has 1 extent")
                                          : fmt::format("an array of {} integers, as `size` has {} extents", dimensions, dimensions);
    if (!node.is(Kind::array)) fail_expected(node, expected);
    if (node.items.size() != dimensions)
        fail_at(node.where, fmt::format("`{}` has {} coordinate{}", node.path, node.items.size(), node.items.size() == 1 ? "" : "s"),
                "expected " + expected);
    std::vector<std::int64_t> coordinates;
    for (const auto& item : node.items) coordinates.push_back(read_integer(item, -largest_integer - 1));
    return coordinates;
}

const Node* later_of(const Node& table, const char* one, const char* other, const std::string& why) {
    const auto *const a = table.find(one), *const b = table.find(other);
    if (a == nullptr || b == nullptr) return a != nullptr ? a : b;
    const auto rank = [&](const Node& node) { return node.where.line == 0 ? 2 : node.where.file == table.where.file ? 1 : 0; };
    if (rank(*a) == rank(*b)) fail_at(a->key_where, fmt::format("`{}` together with `{}`", a->path, other), why, "leave one of them out");
    return rank(*a) > rank(*b) ? a : b;
}

bool is_identifier(const std::string& text) noexcept {
    const auto is_letter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; };
    return !text.empty() && is_letter(text[0]) &&
           std::all_of(text.begin(), text.end(), [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

std::string read_identifier(const Node& node, const std::string& expected) {
    if (!node.is(Kind::text) || !is_identifier(node.text)) fail_expected(node, expected);
    return node.text;
}

Located<QualifiedName> read_qualified_name(const Node& node, const std::string& expected) {
    const auto text = read_text(node, expected);
    const auto dot = text.find('.');
    if (dot == std::string::npos || !is_identifier(text.substr(0, dot)) || !is_identifier(text.substr(dot + 1)))
        fail_expected(node, expected);
    return {{text.substr(0, dot), text.substr(dot + 1)}, node.where};
}

Located<expression::Expression> read_expression(const Node& node) {
    const auto text = read_text(node, "an expression, as in \"sum(cell.alive)\"");
    return located(expression::parse(text, {to_string(node.where) + ": ", node.where.line == 0 ? Failure::usage : Failure::input}), node);
}

Located<expression::Expression> read_condition(const Node& node) {
    auto condition = read_expression(node);
    if (!condition->is_condition())
        fail_at(node.where, fmt::format("`{}` is not a condition", condition->text),
                "it gives a number, and a stop condition is true or false", "compare it with something, as in `sum(cell.burning) == 0`");
    return condition;
}

Timing read_timing(const Node& table, std::uint64_t default_every) {
    Timing timing{default_every, 0, std::nullopt};
    if (const auto* every = table.find("every")) timing.every = static_cast<std::uint64_t>(read_integer(*every, 1, largest_step));
    if (const auto* from = table.find("from")) timing.from = static_cast<std::uint64_t>(read_integer(*from, 0, largest_step));
    if (const auto* until = table.find("until")) {
        timing.until = static_cast<std::uint64_t>(read_integer(*until, 0, largest_step));
        if (*timing.until <= timing.from)
            fail_at(until->where, fmt::format("`{}` is {}, and `from` is {}", until->path, *timing.until, timing.from),
                    "it would never happen: `until` is the first step in which it no longer does");
    }
    return timing;
}

Located<std::string> read_path(const Node& node, const std::string& folder, const std::string& expected) {
    const auto text = read_text(node, expected);
    if (text.empty()) fail_expected(node, expected);
    const std::filesystem::path path(text);
    if (path.is_absolute() || node.folder == folder) return located(text, node);
    return located(std::filesystem::absolute(std::filesystem::path(node.folder) / path).lexically_normal().string(), node);
}

std::size_t read_choice(const Node& node, const std::vector<std::string>& names) {
    const auto expected = listed(in_quotes(names, '"'), "or");
    const auto text = read_text(node, expected);
    const auto found = std::find(names.begin(), names.end(), text);
    if (found == names.end()) fail_expected(node, expected, did_you_mean(text, names));
    return static_cast<std::size_t>(found - names.begin());
}

} // namespace tessera::run_file
