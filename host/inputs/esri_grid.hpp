// ESRI ASCII grids (desktop.arcgis.com, "Esri ASCII raster format").
#pragma once

#include "host/array.hpp"
#include "host/inputs/input_file.hpp"

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace tessera {

// The values as f64, two dimensions; the first row, the northernmost, is y = 0. A cell without data (NODATA_value, -9999 where the file
// does not say, as a double or as a float; and NaN) becomes `nodata`; without one it is an error that names the first such cell.
// Throws Failure::input naming file and line: a malformed header, a value that is no number, too few or too many values.
[[nodiscard]] Array read_esri_grid(const std::filesystem::path& path, std::optional<double> nodata = std::nullopt,
                                   const SizeCheck& check_size = {}, std::uint64_t most_bytes = any_size);

// The same from text; `name` stands in errors where the file's would.
[[nodiscard]] Array parse_esri_grid(std::string_view text, const std::string& name, std::optional<double> nodata = std::nullopt,
                                    const SizeCheck& check_size = {});

} // namespace tessera
