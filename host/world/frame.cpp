#include "host/world/frame.hpp"

#include "device_runtime/thread_pool.hpp"

#include <algorithm>
#include <cstring>

namespace tessera {
namespace {

using run_file::Boundary;

constexpr std::int64_t beyond_fixed = -1, beyond_open = -2;

// The coordinate that a position of the frame repeats, or one of the above where the boundary holds constants.
std::int64_t repeated(std::int64_t i, std::int64_t n, Boundary boundary) {
    if (i >= 0 && i < n) return i;
    switch (boundary) {
    case Boundary::torus: return ((i % n) + n) % n;
    case Boundary::reflect: {
        const std::int64_t r = ((i % (2 * n)) + 2 * n) % (2 * n);
        return r < n ? r : 2 * n - 1 - r;
    }
    case Boundary::fixed: return beyond_fixed;
    case Boundary::open: break;
    }
    return beyond_open;
}

template<class Visit> decltype(auto) with_size(std::size_t bytes, Visit&& visit) {
    switch (bytes) {
    case 1: return visit(std::uint8_t{});
    case 2: return visit(std::uint16_t{});
    case 4: return visit(std::uint32_t{});
    default: return visit(std::uint64_t{});
    }
}

// In rising order, and those that touch as one.
std::vector<PlaceRange> joined(std::vector<PlaceRange> ranges) {
    std::sort(ranges.begin(), ranges.end(), [](const PlaceRange& a, const PlaceRange& b) { return a.first < b.first; });
    std::vector<PlaceRange> all;
    for (const auto& range : ranges)
        if (all.empty() || all.back().end < range.first)
            all.push_back(range);
        else
            all.back().end = std::max(all.back().end, range.end);
    return all;
}

// A place's value, and those behind it in its range.
template<class T> const T* value_at(const GatheredValues& values, std::int64_t place, int element, int elements) {
    std::int64_t before = 0;
    for (const auto& range : values.ranges) {
        if (place < range.end)
            return reinterpret_cast<const T*>(values.bytes.data()) + before + element * range.count() + place - range.first;
        before += range.count() * elements;
    }
    return nullptr; // no range has it, though sources_of() named it
}

} // namespace

Frame::Frame(const CollectionSetup& collection, const ColumnSetup& column)
    : layout_(column.layout), column_(column), boundary_(collection.boundary), width_(layout_.size[0] + 2 * layout_.ghost[0]),
      high_(layout_.size[1] + 2 * layout_.ghost[1]), rows_(high_ * (layout_.size[2] + 2 * layout_.ghost[2])),
      end_(column.cells == 0 && collection.count ? *collection.count : layout_.size[0] * layout_.size[1] * layout_.size[2]) {
    for (auto axis = static_cast<std::size_t>(collection.dimensions); axis < 3; ++axis)
        boundary_[axis] = Boundary::torus; // no ghosts there
}

std::int64_t Frame::cell_of(std::int64_t place) const noexcept {
    const auto x = place % layout_.size[0], row = place / layout_.size[0], y = row % layout_.size[1], z = row / layout_.size[1];
    return ((z + layout_.ghost[2]) * high_ + y + layout_.ghost[1]) * width_ + x + layout_.ghost[0];
}

std::int64_t Frame::cells_in(std::size_t bytes, int elements) const noexcept {
    const auto values = static_cast<std::int64_t>(bytes / size_of(layout_.type)) / elements;
    return values < layout_.row ? std::clamp<std::int64_t>(values, 1, width_) : values / layout_.row * width_;
}

ByteRange Frame::bytes_of(const CellRange& cells, int element) const noexcept {
    const auto start = layout_.index(-layout_.ghost[0], -layout_.ghost[1], -layout_.ghost[2], element);
    const auto at = [&](std::int64_t cell) { return start + cell / width_ * layout_.row + cell % width_; };
    const auto first = at(cells.first), end = at(cells.end - 1) + 1;
    const auto bytes = size_of(layout_.type);
    return {static_cast<std::size_t>(first) * bytes, static_cast<std::size_t>(end - first) * bytes};
}

Frame::Row Frame::row_of(std::int64_t number, const CellRange& cells) const noexcept {
    const auto before = number * width_ + layout_.ghost[0]; // cells before x = 0
    Row row{std::max<std::int64_t>(cells.first - before, -layout_.ghost[0]),
            std::min<std::int64_t>(cells.end - before, width_ - layout_.ghost[0]), 0};
    const auto y = repeated(number % high_ - layout_.ghost[1], layout_.size[1], boundary_[1]),
               z = repeated(number / high_ - layout_.ghost[2], layout_.size[2], boundary_[2]);
    row.source = y >= 0 && z >= 0 ? z * layout_.size[1] + y : std::min(y, z);
    return row;
}

std::vector<PlaceRange> Frame::sources_of(const CellRange& cells) const {
    std::vector<PlaceRange> ranges;
    const auto nx = layout_.size[0];
    const auto add = [&](const PlaceRange& range) {
        if (range.count() <= 0) return;
        if (!ranges.empty() && ranges.back().end == range.first)
            ranges.back().end = range.end;
        else
            ranges.push_back(range);
    };
    for (auto number = cells.first / width_; number <= (cells.end - 1) / width_; ++number) {
        const auto row = row_of(number, cells);
        if (row.source < 0) continue;
        const auto start = row.source * nx;
        add({start + std::max<std::int64_t>(row.from_x, 0), std::min(start + std::min(row.to_x, nx), end_)});
        if (row.from_x <= 0 && nx <= row.to_x) continue; // its ghosts repeat places of it
        const auto add_ghosts = [&](std::int64_t first, std::int64_t end) {
            for (auto x = first; x < end; ++x)
                if (const auto from = repeated(x, nx, boundary_[0]); from >= 0) add({start + from, start + from + 1});
        };
        add_ghosts(row.from_x, std::min<std::int64_t>(row.to_x, 0));
        add_ghosts(std::max(row.from_x, nx), row.to_x);
    }
    return joined(std::move(ranges));
}

std::vector<Frame::Image> Frame::images_of(const PlaceBox& box) const {
    std::vector<Image> images;
    const auto nx = layout_.size[0];
    const auto is_within = [&](std::int64_t i, std::size_t axis) { return box.from[axis] <= i && i < box.to[axis]; };
    for (std::int64_t number = 0; number < rows_; ++number) {
        const auto source = row_of(number, {0, cells()}).source;
        if (source < 0 || !is_within(source % layout_.size[1], 1) || !is_within(source / layout_.size[1], 2)) continue;
        const auto start = source * nx, first = number * width_ + layout_.ghost[0]; // place and cell of x = 0
        images.push_back({{first + box.from[0], first + box.to[0]}, start + box.from[0]});
        const auto add_ghosts = [&](std::int64_t from, std::int64_t to) {
            for (auto x = from; x < to; ++x)
                if (const auto repeats = repeated(x, nx, boundary_[0]); is_within(repeats, 0))
                    images.push_back({{first + x, first + x + 1}, start + repeats});
        };
        add_ghosts(-layout_.ghost[0], 0);
        add_ghosts(nx, nx + layout_.ghost[0]);
    }
    return images;
}

template<class T> void Frame::fill_row(const Row& row, int element, const GatheredValues& values, T* cells) const {
    T outside, missing;
    std::memcpy(&outside, column_.outside.data() + static_cast<std::size_t>(element) * sizeof(T), sizeof(T));
    std::memcpy(&missing, column_.missing.data() + static_cast<std::size_t>(element) * sizeof(T), sizeof(T));
    const auto nx = layout_.size[0];
    const auto constant = [&](std::int64_t from_x) { return row.source == beyond_open || from_x == beyond_open ? missing : outside; };
    const auto ghost = [&](std::int64_t x) {
        const auto from_x = repeated(x, nx, boundary_[0]);
        if (row.source < 0 || from_x < 0) return constant(from_x);
        return *value_at<T>(values, row.source * nx + from_x, element, layout_.elements);
    };
    auto x = row.from_x;
    for (; x < std::min<std::int64_t>(row.to_x, 0); ++x) *cells++ = ghost(x);
    if (const auto count = std::min(row.to_x, nx) - x; count > 0) {
        if (row.source < 0)
            std::fill_n(cells, count, constant(0));
        else {
            const auto known = std::clamp<std::int64_t>(end_ - row.source * nx - x, 0, count);
            if (known > 0)
                std::memcpy(cells, value_at<T>(values, row.source * nx + x, element, layout_.elements),
                            static_cast<std::size_t>(known) * sizeof(T));
            std::fill_n(cells + known, count - known, T{});
        }
        x += count;
        cells += count;
    }
    for (; x < row.to_x; ++x) *cells++ = ghost(x);
}

void Frame::fill(const CellRange& cells, int element, const GatheredValues& values, std::byte* image, ThreadPool& pool) const {
    const auto bytes = size_of(layout_.type);
    const auto begin = bytes_of(cells, element).offset;
    const auto first = cells.first / width_, last = (cells.end - 1) / width_;
    const auto gap = static_cast<std::size_t>(layout_.row - width_) * bytes;
    with_size(bytes, [&](auto kind) {
        using T = decltype(kind);
        pool.run(last + 1 - first, [&](std::int64_t from, std::int64_t to) {
            for (auto number = first + from; number < first + to; ++number) {
                const auto row = row_of(number, cells);
                const auto cell = number * width_ + layout_.ghost[0] + row.from_x;
                const auto place = bytes_of({cell, cell + row.to_x - row.from_x}, element);
                auto* const start = image + (place.offset - begin);
                fill_row(row, element, values, reinterpret_cast<T*>(start));
                if (number < last) std::memset(start + place.size, 0, gap); // nobody's, but what goes to a device is known
            }
        });
    });
}

void Frame::take(const CellRange& cells, const std::byte* image, const PlaceRange& places, std::byte* into, ThreadPool& pool) const {
    const auto bytes = size_of(layout_.type);
    const auto begin = bytes_of(cells, 0).offset;
    const auto nx = layout_.size[0];
    const auto first = cells.first / width_, last = (cells.end - 1) / width_;
    pool.run(last + 1 - first, [&](std::int64_t from, std::int64_t to) {
        for (auto number = first + from; number < first + to; ++number) {
            const auto y = number % high_ - layout_.ghost[1], z = number / high_ - layout_.ghost[2];
            if (y < 0 || y >= layout_.size[1] || z < 0 || z >= layout_.size[2]) continue;
            const auto row = row_of(number, cells);
            const auto start = row.source * nx;
            const PlaceRange wanted{std::max({start, start + row.from_x, places.first}),
                                    std::min({start + nx, start + row.to_x, places.end})};
            if (wanted.count() <= 0) continue;
            const auto cell = cell_of(wanted.first);
            std::memcpy(into + static_cast<std::size_t>(wanted.first - places.first) * bytes,
                        image + (bytes_of({cell, cell + 1}, 0).offset - begin), static_cast<std::size_t>(wanted.count()) * bytes);
        }
    });
}

} // namespace tessera
