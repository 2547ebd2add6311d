// Any data file that a run file may name.
#pragma once

#include "host/array.hpp"
#include "host/inputs/input_file.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace tessera {

struct ReadOptions {
    int elements = 1;             // of the member that the values are for: an NPY file has a last axis for more than 1
    std::optional<double> nodata; // what cells of an ESRI grid without data become
    std::string rule;             // that an RLE file must be of; empty accepts any

    // Is told nx, ny and nz as the file's header has them before memory is taken for so many, and throws if these are too many.
    SizeCheck check_size;

    // Places that there are to be filled, if it is known: a file with many more bytes than their values can have is refused unread.
    std::optional<std::int64_t> places;
};

// A file whose values are had in pieces.
struct OpenArray {
    ArrayShape shape;
    ArraySource values;   // keeps what it needs; throws as read_array
    std::string bounds{}; // of the bounded grid that an RLE pattern was made for; empty without
};

// An NPY file in C order is read as its values are asked for; what other files hold is read now. Throws as read_array.
[[nodiscard]] OpenArray open_array(const std::filesystem::path& path, const ReadOptions& options = {});

// Reads by the file's ending: .rle .npy .csv .txt .asc .png, in either case. Throws Failure::input: another ending, or what the reader
// of the format says.
[[nodiscard]] Array read_array(const std::filesystem::path& path, const ReadOptions& options = {});

} // namespace tessera
