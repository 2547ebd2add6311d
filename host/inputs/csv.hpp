// A matrix of numbers in text.
#pragma once

#include "host/array.hpp"
#include "host/inputs/input_file.hpp"

#include <filesystem>
#include <string>
#include <string_view>

namespace tessera {

// One line is one row (y), one number one x. Numbers are separated by semicolons, commas, tabs or blanks, whichever of these, in
// this order, the first row has; comments are passed over (csv_fields.hpp), and so is a first line that is a heading: it has a name for
// each column. Words for values that are missing ("NA") are no names. Integers alone give i64 (u64 if one needs it), anything else f64; one
// row gives one dimension, more give two. Throws Failure::input naming file, line and column: a field that is no number, rows of different
// lengths, a heading that does not fit to its rows, a file without a row.
[[nodiscard]] Array read_csv(const std::filesystem::path& path, std::uint64_t most_bytes = any_size);

// The same from text; `name` stands in errors where the file's would.
[[nodiscard]] Array parse_csv(std::string_view text, const std::string& name);

} // namespace tessera
