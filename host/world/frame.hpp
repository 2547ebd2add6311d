// A column as it stands on a device, ghosts included, made from and taken apart into dense values on the host, any part of it at a time.
#pragma once

#include "host/array.hpp"
#include "host/run_file/choices.hpp"
#include "host/setup/setup.hpp"
#include "host/world/place_box.hpp"
#include "host/world/row_bytes.hpp"

#include <array>
#include <cstddef>
#include <vector>

namespace tessera {

class ThreadPool;

// Cells [first, end) of an element: its places and the ghosts around them, in the order in which they stand in a buffer.
struct CellRange {
    std::int64_t first = 0, end = 0;
};

// Values of some places: those of each range one after the other, an array member's as a plane of the range for each element.
struct GatheredValues {
    std::vector<PlaceRange> ranges; // rising, and none touches the next
    std::vector<std::byte> bytes;
};

class Frame {
public:
    // Both must outlive it.
    Frame(const CollectionSetup& collection, const ColumnSetup& column);

    [[nodiscard]] std::int64_t cells() const noexcept { return width_ * rows_; } // of an element
    [[nodiscard]] std::int64_t cell_of(std::int64_t place) const noexcept;
    // As many cells of so many elements as stand in so many bytes of a buffer: whole rows of x where one fits, and at least one cell.
    [[nodiscard]] std::int64_t cells_in(std::size_t bytes, int elements) const noexcept;
    // From the first of the cells to the last, with the gaps between rows.
    [[nodiscard]] ByteRange bytes_of(const CellRange& cells, int element) const noexcept;

    // The places that cells repeat: themselves, and for ghosts of a torus or a mirror those elsewhere. Others' cells hold constants.
    [[nodiscard]] std::vector<PlaceRange> sources_of(const CellRange& cells) const;

    // Cells that repeat places of a box: themselves, and the ghosts that are as they are. Those of each range repeat the places from
    // `place` on, in a row.
    struct Image {
        CellRange cells;
        std::int64_t place = 0;
    };
    [[nodiscard]] std::vector<Image> images_of(const PlaceBox& box) const;

    // `image` gets the bytes_of() cells of an element: torus and reflect repeat places, fixed axes hold `outside`, and open ones, which win
    // where a ghost is beyond both, `missing`. `values` has all sources_of() them.
    void fill(const CellRange& cells, int element, const GatheredValues& values, std::byte* image, ThreadPool& pool) const;

    // `into` gets the values of those of the places that are among the cells; `image` has the bytes_of() these.
    void take(const CellRange& cells, const std::byte* image, const PlaceRange& places, std::byte* into, ThreadPool& pool) const;

private:
    struct Row { // a part of a row of x: its cells, and which row it is of the places that it repeats, or one of the constants
        std::int64_t from_x = 0, to_x = 0, source = 0;
    };
    [[nodiscard]] Row row_of(std::int64_t number, const CellRange& cells) const noexcept;
    template<class T> void fill_row(const Row& row, int element, const GatheredValues& values, T* cells) const;

    const Layout& layout_;
    const ColumnSetup& column_;
    std::array<run_file::Boundary, 3> boundary_;
    std::int64_t width_, high_, rows_; // cells of a row; rows of a plane, and of an element
    std::int64_t end_;                 // of the places: behind them a short last row has cells of nobody, which are zero
};

} // namespace tessera
