// Pixels as a PNG file.
#pragma once

#include "host/outputs/colour_map.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace tessera {

class OutputFile;

// Squares of pixels, line by line, each of an entry of `colours`; and pixels that are drawn over, the later ones over others.
struct PngPicture {
    // The squares by values of a byte: the entry of each.
    struct Bytes {
        const std::uint8_t* values;
        std::array<std::uint16_t, 256> entries;
    };
    struct Dot {
        std::size_t y, x;
        std::uint16_t entry;
    };
    std::size_t width, height, scale;   // in squares, and in pixels along the edge of one
    std::vector<std::uint16_t> entries; // of each square,
    std::optional<Bytes> bytes;         // or these instead
    std::vector<Dot> dots;
    std::vector<Colour> colours;
};

// With 1, 2, 4 or 8 bits a pixel, as many as the colours that occur need, and as red, green and blue where more than 256 do. The same
// picture gives the same bytes, with the same zlib. Throws what the file throws, and Failure::output if libpng cannot go on.
void write_png(OutputFile& file, PngPicture picture);

} // namespace tessera
