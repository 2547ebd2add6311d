// A TOML text as a tree that knows where each value stands, in the order of the text; several texts and overrides become one tree.
// Internal to host/run_file.
#pragma once

#include "host/run_file/where.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::run_file {

struct Layer;

struct Node {
    enum class Kind { integer, number, boolean, text, date, array, table };

    Kind kind = Kind::table;
    Where where;        // of the value
    std::string key;    // in the table around it; empty in an array
    Where key_where;    // of the key
    std::string path;   // "places.cell.size", "output.0.every": as --set would call it
    std::string folder; // what a relative path in it is relative to
    std::int64_t integer = 0;
    double number = 0;
    bool boolean = false;
    std::string text;
    std::vector<Node> items; // of an array, or of a table in the order of the text

    [[nodiscard]] bool is(Kind other) const noexcept { return kind == other; }
    [[nodiscard]] const Node* find(const std::string& wanted) const noexcept;
    [[nodiscard]] Node* find(const std::string& wanted) noexcept;
};

// Fails with Failure::input at the first character that is no TOML.
[[nodiscard]] Node parse_document(const std::string& text, const std::string& name, const std::string& folder);

// The one value that `text` is in TOML, with `path` and `where` all over it. Throws std::invalid_argument with the parser's reason.
[[nodiscard]] Node parse_value(const std::string& text, const std::string& path, const Where& where);

// The keys of a dotted path as TOML writes it: `a."b.c".d`. Throws std::invalid_argument with the parser's reason.
[[nodiscard]] std::vector<std::string> parse_key_path(const std::string& path);

// All layers and overrides as one tree (layers.cpp). Where a later one has a key of an earlier one, tables merge and everything else is
// replaced; what an initial value is made of (places.NAME.init.MEMBER) is replaced whole. Where later layers have collections of a type,
// those of the model's defaults of that type that they do not name are left out. Remarks are for the user, one a line.
[[nodiscard]] Node merge_layers(const std::vector<Layer>& layers, const std::vector<std::string>& overrides,
                                std::vector<std::string>& remarks);

} // namespace tessera::run_file
