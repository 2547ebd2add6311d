// Cell patterns in the run-length-encoded format of Golly (golly.sourceforge.io/Help/formats.html, "Extended RLE").
#pragma once

#include "host/array.hpp"
#include "host/inputs/input_file.hpp"

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

struct RlePattern {
    Array cells;        // u8, two dimensions, of the header's width and height; 0 is dead
    std::string rule;   // "B3/S23"; a rule that is not of the kind B.../S... as it was written
    std::string bounds; // of a bounded grid, as it was written: "T100,200"; empty without
};

// Throws Failure::input naming file, line and column: a malformed file, living cells outside the header's width and height. With an
// `expected_rule` (in any spelling), a file of another rule is refused.
[[nodiscard]] RlePattern read_rle(const std::filesystem::path& path, std::string_view expected_rule = {}, const SizeCheck& check_size = {},
                                  std::uint64_t most_bytes = any_size);

// The same from text; `name` stands in errors where the file's would.
[[nodiscard]] RlePattern parse_rle(std::string_view text, const std::string& name, std::string_view expected_rule = {},
                                   const SizeCheck& check_size = {});

// "b3s23", "23/3" (survivals first), "S23/B3" and "Life" all become "B3/S23"; other rules stay as they are.
[[nodiscard]] std::string normalised_rule(std::string_view rule);

} // namespace tessera
