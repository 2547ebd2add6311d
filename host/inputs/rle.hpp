// Cell patterns in the run-length-encoded format of Golly (golly.sourceforge.io/Help/formats.html, "Extended RLE").
#pragma once

#include "host/array.hpp"
#include "host/inputs/input_file.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

// The bounded grid that a pattern was made for.
struct RleUniverse {
    char shape = 'P';                   // P: a plane with dead cells around it; T: a torus; K, C, S: other surfaces
    std::int64_t width = 0, height = 0; // 0: without bounds
    bool is_shifted = false;            // an edge is joined to its opposite with an offset ("T30+5,20")
};

struct RlePattern {
    Array cells;        // u8, two dimensions, of the header's width and height; 0 is dead
    std::string rule;   // "B3/S23"; a rule that is not of the kind B.../S... as it was written
    std::string bounds; // of a bounded grid, as it was written: "T100,200"; empty without
};

// Throws Failure::input naming file, line and column: a malformed file, living cells outside the header's width and height, a
// state that the rule does not have. With an
// `expected_rule` (in any spelling), a file of another rule is refused.
[[nodiscard]] RlePattern read_rle(const std::filesystem::path& path, std::string_view expected_rule = {}, const SizeCheck& check_size = {},
                                  std::uint64_t most_bytes = any_size);

// What the bounds of a pattern say ("T100,200"); nothing for text that is none.
[[nodiscard]] std::optional<RleUniverse> universe_of(std::string_view bounds);

// The states of a rule as normalised_rule() gives it: 2 for B.../S... and its relatives, as many as it says for "345/2/4" and "B2/S/C3";
// nothing for a name ("WireWorld").
[[nodiscard]] std::optional<int> states_of(std::string_view rule);

// The same from text; `name` stands in errors where the file's would.
[[nodiscard]] RlePattern parse_rle(std::string_view text, const std::string& name, std::string_view expected_rule = {},
                                   const SizeCheck& check_size = {});

// "b3s23", "23/3" (survivals first), "S23/B3" and "Life" all become "B3/S23"; other rules stay as they are.
[[nodiscard]] std::string normalised_rule(std::string_view rule);

} // namespace tessera
