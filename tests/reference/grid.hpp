// A grid as the straight loops of this folder see it: values in row-major order, x fastest, and a rule for what lies beyond each edge.
//
// Nothing in this folder includes or shares anything with the engine or the SDK: these are the oracles that both are compared with. They
// are written to be read, not to be fast. Compile them with contraction off (-ffp-contract=off) where floats are compared bit for bit.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace reference {

enum class Boundary { torus, fixed, reflect, open };

struct Shape {
    std::int64_t nx = 1, ny = 1, nz = 1;
    Boundary x = Boundary::torus, y = Boundary::torus, z = Boundary::torus;

    [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(nx * ny * nz); }
    [[nodiscard]] std::size_t index(std::int64_t px, std::int64_t py = 0, std::int64_t pz = 0) const {
        return static_cast<std::size_t>((pz * ny + py) * nx + px);
    }
};

inline Shape line(std::int64_t nx, Boundary all) { return {nx, 1, 1, all, all, all}; }
inline Shape plane(std::int64_t nx, std::int64_t ny, Boundary all) { return {nx, ny, 1, all, all, all}; }
inline Shape block(std::int64_t nx, std::int64_t ny, std::int64_t nz, Boundary all) { return {nx, ny, nz, all, all, all}; }

// Moves one coordinate into the grid where the boundary says how; a coordinate still outside afterwards is beyond a fixed or open edge.
inline std::int64_t follow(std::int64_t i, std::int64_t n, Boundary rule) {
    if (rule == Boundary::torus) {
        while (i < 0) i += n;
        while (i >= n) i -= n;
    }
    if (rule == Boundary::reflect)
        while (i < 0 || i >= n) i = i < 0 ? -1 - i : 2 * n - 1 - i;
    return i;
}

template<class T> struct Seen {
    bool exists; // false beyond an open edge
    T value;     // there: the default of the member
};

// What stands at (x, y, z). Beyond a fixed edge it is `outside`, beyond an open one `missing`; open wins where both apply.
template<class T>
Seen<T> look(const std::vector<T>& cells, const Shape& shape, std::int64_t x, std::int64_t y, std::int64_t z, T outside, T missing) {
    x = follow(x, shape.nx, shape.x);
    y = follow(y, shape.ny, shape.y);
    z = follow(z, shape.nz, shape.z);
    const bool out_x = x < 0 || x >= shape.nx, out_y = y < 0 || y >= shape.ny, out_z = z < 0 || z >= shape.nz;
    if ((out_x && shape.x == Boundary::open) || (out_y && shape.y == Boundary::open) || (out_z && shape.z == Boundary::open))
        return {false, missing};
    if (out_x || out_y || out_z) return {true, outside};
    return {true, cells[shape.index(x, y, z)]};
}

} // namespace reference
