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
#include <cstring>
#include <memory>
#include <utility>

namespace tessera {
namespace {

// A value takes fewer bytes than this in any format, and comments, headings and blanks fewer than that.
std::uint64_t most_bytes(const ReadOptions& options) {
    constexpr std::uint64_t a_value = 64, besides = 16u << 20;
    if (!options.places) return any_size;
    const auto places = static_cast<std::uint64_t>(std::max<std::int64_t>(*options.places, 0));
    return places > (any_size - besides) / a_value ? any_size : places * a_value + besides;
}

std::string ending_of(const std::filesystem::path& path) {
    std::string ending = path.extension().string();
    std::transform(ending.begin(), ending.end(), ending.begin(),
                   [](char c) { return static_cast<char>(std::tolower(static_cast<unsigned char>(c))); });
    return ending;
}

Array read_array(const std::filesystem::path& path, const ReadOptions& options, std::string& bounds) {
    const auto ending = ending_of(path);
    const auto most = most_bytes(options);
    if (ending == ".npy") return read_npy(path, options.elements, options.check_size);
    if (ending == ".rle") {
        auto pattern = read_rle(path, options.rule, options.check_size, most);
        bounds = pattern.bounds;
        return std::move(pattern.cells);
    }
    if (ending == ".csv" || ending == ".txt") return read_csv(path, most);
    if (ending == ".asc") return read_esri_grid(path, options.nodata, options.check_size, most);
    if (ending == ".png") return read_png(path, options.check_size, most);
    throw Error(
        Failure::input,
        fmt::format("could not tell the format of {}: {}", in_quotes(path.string()),
                    ending.empty() ? "its name has no ending" : fmt::format("its ending is {}", in_quotes(ending))),
        "data files end in .rle (cell pattern), .npy (NumPy array), .csv or .txt (rows of numbers), .asc (ESRI grid) or .png (picture)");
}

} // namespace

Array read_array(const std::filesystem::path& path, const ReadOptions& options) {
    std::string bounds;
    return read_array(path, options, bounds);
}

OpenArray open_array(const std::filesystem::path& path, const ReadOptions& options) {
    if (ending_of(path) == ".npy") {
        const auto file = std::make_shared<const NpyFile>(path, options.elements, options.check_size);
        return {file->shape(), [file](const PlaceRange& places, std::byte* into) { file->read(places, into); }};
    }
    std::string bounds;
    const auto array = std::make_shared<const Array>(read_array(path, options, bounds));
    return {*array,
            [array](const PlaceRange& places, std::byte* into) {
                const auto bytes = size_of(array->type), count = static_cast<std::size_t>(places.count()) * bytes;
                for (std::int64_t e = 0; e < array->elements; ++e, into += count)
                    std::memcpy(into, array->bytes.data() + static_cast<std::size_t>(e * array->places() + places.first) * bytes, count);
            },
            bounds};
}

} // namespace tessera
