#include "host/inputs/read_array.hpp"

#include "device_runtime/error.hpp"
#include "host/inputs/csv.hpp"
#include "host/inputs/esri_grid.hpp"
#include "host/inputs/input_file.hpp"
#include "host/inputs/npy.hpp"
#include "host/inputs/png.hpp"
#include "host/inputs/rle.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>

namespace tessera {

Array read_array(const std::filesystem::path& path, const ReadOptions& options) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    if (ending == ".npy") return read_npy(path, options.elements);
    if (ending == ".rle") return read_rle(path, options.rule).cells;
    if (ending == ".csv" || ending == ".txt") return read_csv(path);
    if (ending == ".asc") return read_esri_grid(path, options.nodata);
    if (ending == ".png") return read_png(path);
    throw Error(
        Failure::input,
        fmt::format("could not tell the format of {}: {}", in_quotes(path.string()),
                    ending.empty() ? "its name has no ending" : fmt::format("its ending is {}", in_quotes(ending))),
        "data files end in .rle (cell pattern), .npy (NumPy array), .csv or .txt (rows of numbers), .asc (ESRI grid) or .png (picture)");
}

} // namespace tessera
