// A plane of values as a PNG picture.
#pragma once

#include "host/array.hpp"
#include "host/outputs/colour_map.hpp"
#include "host/outputs/file_place.hpp"

#include <array>
#include <optional>
#include <string>
#include <vector>

namespace tessera {

struct PictureStyle {
    std::string colours = "viridis"; // a name that colour_map() knows
    std::optional<double> low, high; // the values at the ends of the map; the least and largest finite value by default, 0 and 1 for bool
    int scale = 1;                   // pixels along the edge of a place

    // What is drawn over it, each over what comes before: places of the plane, by number, in one colour.
    struct Overlay {
        struct Spot {
            std::int64_t place = 0;     // all of whose pixels are drawn over,
            std::array<double, 2> at{}; // or a dot: x and y in places, not beyond the picture
            std::uint16_t colour = 0;   // in `colours`
        };
        bool as_dots = false;
        std::vector<Colour> colours{}; // 256 at most
        std::vector<Spot> spots{};
    };
    std::vector<Overlay> overlays{};
};

// Draws an array of one or two dimensions and one element, y downward. Values outside low and high get the ends' colours, NaN and infinity
// not_a_number_colour; where low equals high, values above it get the upper end and all others the lower. A categorical map takes values
// as they are (whole numbers, rounded down). The same input gives the same bytes, with the same zlib. The file appears whole or not at all.
// Throws Failure::input for an unknown map, low above high or a scale below 1; Failure::output if the file cannot be written;
// Failure::internal for more dimensions or elements.
void write_png(const FilePlace& place, const Array& plane, const PictureStyle& style = {});

// Which of a map's 256 colours each value has; what is no finite number has the first.
[[nodiscard]] std::vector<std::uint16_t> colours_of(const ColourMap& map, const std::vector<double>& values, std::optional<double> low,
                                                    std::optional<double> high);

} // namespace tessera
