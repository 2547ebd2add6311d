// How deep tables lie within each other in a TOML text, before anything that recurses over them sees it.
#pragma once

#include <optional>
#include <string_view>

namespace tessera::run_file {

// Where a text goes too deep; both count from 1, columns in bytes.
struct Depth {
    int line = 1;
    int column = 1;
};

constexpr int deepest_key =
    100; // a dotted key's names, and those of the tables and arrays around it on the same line or in the same brackets

// The first place at which names and brackets are nested deeper than that; nothing if there is none. What is no TOML is looked at as far as
// a parser would come.
[[nodiscard]] std::optional<Depth> too_deep(std::string_view toml);

} // namespace tessera::run_file
