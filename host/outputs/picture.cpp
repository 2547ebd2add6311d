#include "host/outputs/picture.hpp"

#include "device_runtime/error.hpp"
#include "host/outputs/colour_map.hpp"
#include "host/outputs/output_file.hpp"
#include "host/outputs/png_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <utility>
#include <vector>

namespace tessera {
namespace {

constexpr std::uint16_t no_number = 256, first_overlay = 257; // beyond the map's entries

// Of a colour of an overlay.
std::uint16_t entry_of(std::size_t overlay, std::uint16_t colour) {
    return static_cast<std::uint16_t>(first_overlay + 256 * overlay + colour);
}

struct Range {
    double low = 0, high = 0;
};

template<class T> Range range_of(std::span<const T> values, const PictureStyle& style) {
    if (style.low && style.high) return {*style.low, *style.high};
    Range found{std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity()};
    for (const T value : values) {
        const auto v = static_cast<double>(value);
        if (!std::isfinite(v)) continue;
        found.low = std::min(found.low, v);
        found.high = std::max(found.high, v);
    }
    if (found.low > found.high || std::is_same_v<T, bool>) found = {0, 1};
    return {style.low.value_or(found.low), style.high.value_or(found.high)};
}

double share(double value, Range range) {
    const double width = range.high - range.low;
    if (!(width > 0)) return value > range.low ? 1 : 0;
    if (std::isinf(width)) return (value / 2 - range.low / 2) / (range.high / 2 - range.low / 2);
    return (value - range.low) / width;
}

std::uint16_t entry_of_value(double value, const ColourMap& map, Range range) {
    if (!std::isfinite(value)) return no_number;
    return map.categorical ? category_entry(value) : colour_entry(share(value, range));
}

// Values as entries of the map and no_number; of a type with few values, the entry of each of these.
template<class T> void draw_values(std::span<const T> values, const ColourMap& map, Range range, PngPicture& picture) {
    if constexpr (sizeof(T) == 1) {
        auto& bytes = picture.bytes.emplace();
        bytes.values = reinterpret_cast<const std::uint8_t*>(values.data());
        for (int v = 0; v < 256; ++v)
            bytes.entries[static_cast<std::size_t>(v)] = entry_of_value(static_cast<double>(static_cast<T>(v)), map, range);
    } else {
        picture.entries.resize(values.size());
        for (std::size_t i = 0; i < values.size(); ++i) picture.entries[i] = entry_of_value(static_cast<double>(values[i]), map, range);
    }
}

// Each square by its entry, which can be drawn over.
void draw_by_entries(PngPicture& picture) {
    const auto bytes = std::exchange(picture.bytes, std::nullopt);
    if (!bytes) return;
    picture.entries.resize(picture.width * picture.height);
    for (std::size_t i = 0; i < picture.entries.size(); ++i) picture.entries[i] = bytes->entries[bytes->values[i]];
}

// The plane, and overlays of places.
void draw(const Array& plane, const ColourMap& map, const PictureStyle& style, PngPicture& picture) {
    with_type(plane.type, [&](auto zero) {
        const auto values = plane.data<decltype(zero)>();
        draw_values(values, map, range_of(values, style), picture);
    });
    for (std::size_t i = 0; i < style.overlays.size(); ++i) {
        if (style.overlays[i].as_dots) continue;
        draw_by_entries(picture);
        for (const auto& spot : style.overlays[i].spots) picture.entries[static_cast<std::size_t>(spot.place)] = entry_of(i, spot.colour);
    }
}

// The pixels of points, those of later overlays behind others. A point is as wide as an eighth of a place.
std::vector<PngPicture::Dot> dots_of(const Array& plane, const PictureStyle& style) {
    const auto scale = static_cast<std::size_t>(style.scale), wide = std::max<std::size_t>(scale / 8, 1);
    const auto width = static_cast<std::size_t>(plane.size[0]) * scale, height = static_cast<std::size_t>(plane.size[1]) * scale;
    std::vector<PngPicture::Dot> dots;
    for (std::size_t i = 0; i < style.overlays.size(); ++i)
        for (const auto& spot : style.overlays[i].spots) {
            if (!style.overlays[i].as_dots) break;
            const auto& [at_x, at_y] = spot.at;
            const auto x = static_cast<std::size_t>(at_x * style.scale), y = static_cast<std::size_t>(at_y * style.scale);
            for (std::size_t k = 0; k < wide * wide; ++k)
                dots.push_back({std::min(y + k / wide, height - 1), std::min(x + k % wide, width - 1), entry_of(i, spot.colour)});
        }
    return dots;
}

// The colours of all entries.
std::vector<Colour> colours_of_entries(const ColourMap& map, const PictureStyle& style) {
    std::vector<Colour> colours(entry_of(style.overlays.size(), 0));
    std::copy(map.entries.begin(), map.entries.end(), colours.begin());
    colours[no_number] = not_a_number_colour;
    for (std::size_t i = 0; i < style.overlays.size(); ++i)
        std::copy(style.overlays[i].colours.begin(), style.overlays[i].colours.end(), colours.begin() + entry_of(i, 0));
    return colours;
}

void check(const Array& plane, const PictureStyle& style) {
    if (plane.size[2] != 1 || plane.elements != 1) throw Error(Failure::internal, "a picture was asked for of more than one plane");
    if (style.scale < 1) throw Error(Failure::input, fmt::format("a picture has the scale {}", style.scale), "it is in pixels, 1 or more");
    const auto unusable = [](const std::optional<double>& end) { return end && !std::isfinite(*end); };
    if (unusable(style.low) || unusable(style.high) || (style.low && style.high && *style.low > *style.high))
        throw Error(Failure::input, "a picture's low and high make no range", "low must not be above high, and both must be finite");
    const std::int64_t longest = 0x7fffffff / 3 / style.scale;
    if (plane.size[0] > longest || plane.size[1] > longest)
        throw Error(Failure::input,
                    fmt::format("a picture of {} x {} places at scale {} is too large", plane.size[0], plane.size[1], style.scale),
                    fmt::format("the maximum is {} places along an edge", longest), "write an NPY file instead");
}

} // namespace

std::vector<std::uint16_t> colours_of(const ColourMap& map, const std::vector<double>& values, std::optional<double> low,
                                      std::optional<double> high) {
    PictureStyle style;
    style.low = low, style.high = high;
    const auto range = range_of(std::span<const double>(values), style);
    std::vector<std::uint16_t> colours;
    for (const double value : values)
        colours.push_back(!std::isfinite(value) ? 0 : map.categorical ? category_entry(value) : colour_entry(share(value, range)));
    return colours;
}

void write_png(const FilePlace& place, const Array& plane, const PictureStyle& style) {
    check(plane, style);
    const ColourMap& map = colour_map(style.colours);
    PngPicture picture{static_cast<std::size_t>(plane.size[0]),
                       static_cast<std::size_t>(plane.size[1]),
                       static_cast<std::size_t>(style.scale),
                       {},
                       {},
                       dots_of(plane, style),
                       colours_of_entries(map, style)};
    draw(plane, map, style, picture);
    OutputFile file(place);
    write_png(file, std::move(picture));
    file.commit();
}

} // namespace tessera
