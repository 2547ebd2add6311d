// Pictures as arrays of grey values.
#pragma once

#include "host/array.hpp"
#include "host/inputs/input_file.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

// Any PNG, two dimensions: u8 with values 0 to 255 (1, 2 and 4 bits are spread to that range, palettes looked up), u16 for 16 bits.
// Colour becomes (299 R + 587 G + 114 B) / 1000, rounded; transparency and gamma are ignored.
// Throws Failure::input naming the file, the byte and libpng's complaint.
[[nodiscard]] Array read_png(const std::filesystem::path& path, const SizeCheck& check_size = {}, std::uint64_t most_bytes = any_size);

// The same from a file's bytes; `name` stands in errors where the file's would.
[[nodiscard]] Array parse_png(std::string_view bytes, const std::string& name, const SizeCheck& check_size = {});

} // namespace tessera
