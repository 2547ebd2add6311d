// Arrays in NumPy's .npy format (numpy.org/doc/stable/reference/generated/numpy.lib.format.html), versions 1 to 3.
#pragma once

#include "host/array.hpp"
#include "host/inputs/input_file.hpp"

#include <filesystem>
#include <vector>

namespace tessera {

// An open file, whose values are read as they are asked for; in Fortran order, all at once. Shapes (nx), (ny, nx) and (nz, ny, nx), and a
// last axis of `elements` behind these if that is more than 1; either byte order, C and Fortran order; bool, integers of 1 to 8 bytes, and
// floating-point numbers of 2 (which become float), 4 and 8. Throws Failure::input naming the file and what was found.
class NpyFile {
public:
    explicit NpyFile(const std::filesystem::path& path, int elements = 1, const SizeCheck& check_size = {});

    [[nodiscard]] const ArrayShape& shape() const noexcept { return shape_; }
    // As an ArraySource.
    void read(const PlaceRange& places, std::byte* into) const;

private:
    [[nodiscard]] bool in_c_order() const noexcept { return whole_.empty(); }
    void read_as_stored(const PlaceRange& places, std::byte* into) const;

    InputFile file_;
    ArrayShape shape_;           // as its values are given
    Scalar stored_ = Scalar::u8; // as they are in the file: halves are u16
    bool big_endian_ = false;
    std::uint64_t data_offset_ = 0;
    std::array<std::int64_t, 4> stride_{}; // of x, y, z and the element, in values
    std::vector<std::byte> whole_;         // of a file in Fortran order
};

// The whole file; throws as NpyFile, and Failure::memory.
[[nodiscard]] Array read_npy(const std::filesystem::path& path, int elements = 1, const SizeCheck& check_size = {});

// The extents of the array, the first axis first, as the file's header has them: any number of axes, of any length. Throws as NpyFile.
[[nodiscard]] std::vector<std::int64_t> npy_shape(const std::filesystem::path& path);

} // namespace tessera
