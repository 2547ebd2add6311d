#include "host/world/frame.hpp"

#include "device_runtime/thread_pool.hpp"

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

// One element's plane of a column, with its frame; T is an integer of the element's size.
template<class T> struct Frame {
    T* buffer;
    const T* values;
    T outside, missing;
    const Layout& layout;
    const std::array<Boundary, 3>& boundary;
    int element;

    void fill_row(std::int64_t y, std::int64_t z) const {
        const auto nx = layout.size[0], ny = layout.size[1], nz = layout.size[2];
        T* const row = buffer + layout.index(0, y, z, element);
        const std::int64_t gx = layout.ghost[0];
        const auto from_y = repeated(y, ny, boundary[1]), from_z = repeated(z, nz, boundary[2]);
        if (from_y < 0 || from_z < 0) {
            const bool open = from_y == beyond_open || from_z == beyond_open;
            for (std::int64_t x = -gx; x < nx + gx; ++x) row[x] = open || repeated(x, nx, boundary[0]) == beyond_open ? missing : outside;
            return;
        }
        const T* const from = values + ((element * nz + from_z) * ny + from_y) * nx;
        std::memcpy(row, from, static_cast<std::size_t>(nx) * sizeof(T));
        for (std::int64_t k = 1; k <= gx; ++k)
            for (const std::int64_t x : {-k, nx - 1 + k}) {
                const auto from_x = repeated(x, nx, boundary[0]);
                row[x] = from_x >= 0 ? from[from_x] : from_x == beyond_open ? missing : outside;
            }
    }
};

template<class Visit> decltype(auto) with_size(std::size_t bytes, Visit&& visit) {
    switch (bytes) {
    case 1: return visit(std::uint8_t{});
    case 2: return visit(std::uint16_t{});
    case 4: return visit(std::uint32_t{});
    default: return visit(std::uint64_t{});
    }
}

} // namespace

void fill_frame(std::vector<std::byte>& buffer, const Layout& layout, int dimensions, const std::array<Boundary, 3>& boundary,
                const Array& values, const std::vector<std::byte>& outside, const std::vector<std::byte>& missing, ThreadPool& pool) {
    buffer.resize(static_cast<std::size_t>(layout.bytes));
    auto rules = boundary;
    for (auto axis = static_cast<std::size_t>(dimensions); axis < 3; ++axis) rules[axis] = Boundary::torus; // no ghosts there
    const std::int64_t rows = layout.size[1] + 2 * layout.ghost[1], planes = layout.size[2] + 2 * layout.ghost[2];
    with_size(size_of(layout.type), [&](auto kind) {
        using T = decltype(kind);
        for (int e = 0; e < layout.elements; ++e) {
            T beyond[2];
            std::memcpy(&beyond[0], outside.data() + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
            std::memcpy(&beyond[1], missing.data() + static_cast<std::size_t>(e) * sizeof(T), sizeof(T));
            const Frame<T> frame{reinterpret_cast<T*>(buffer.data()),
                                 reinterpret_cast<const T*>(values.bytes.data()),
                                 beyond[0],
                                 beyond[1],
                                 layout,
                                 rules,
                                 e};
            pool.run(rows * planes, [&](std::int64_t first, std::int64_t last) {
                for (auto i = first; i < last; ++i) frame.fill_row(i % rows - layout.ghost[1], i / rows - layout.ghost[2]);
            });
        }
    });
}

void take_places(const std::byte* buffer, const Layout& layout, Array& values, ThreadPool& pool) {
    const auto bytes = size_of(layout.type);
    const auto row_bytes = static_cast<std::size_t>(layout.size[0]) * bytes;
    const std::int64_t rows = layout.size[1] * layout.size[2];
    for (int e = 0; e < layout.elements; ++e)
        pool.run(rows, [&](std::int64_t first, std::int64_t last) {
            for (auto i = first; i < last; ++i)
                std::memcpy(values.bytes.data() + static_cast<std::size_t>(e * rows + i) * row_bytes,
                            buffer + static_cast<std::size_t>(layout.index(0, i % layout.size[1], i / layout.size[1], e)) * bytes,
                            row_bytes);
        });
}

} // namespace tessera
