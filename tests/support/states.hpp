// Grids and states that the engine and a straight loop both start from, and their comparison value by value.
#pragma once

#include "tests/reference/grid.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thorough.hpp"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace tessera::test {

using reference::Boundary;
using reference::Shape;

inline constexpr std::array boundaries{Boundary::torus, Boundary::fixed, Boundary::reflect, Boundary::open};

// Boundaries along x and y: each beside itself and beside the next, and in a thorough run beside all.
inline std::vector<std::pair<Boundary, Boundary>> pairs_of_boundaries() {
    std::vector<std::pair<Boundary, Boundary>> pairs;
    for (std::size_t beside = 0; beside < (thorough() ? boundaries.size() : 2); ++beside)
        for (std::size_t x = 0; x < boundaries.size(); ++x) pairs.emplace_back(boundaries[x], boundaries[(x + beside) % boundaries.size()]);
    return pairs;
}

inline std::string text(Boundary boundary) {
    switch (boundary) {
    case Boundary::torus: return "torus";
    case Boundary::fixed: return "fixed";
    case Boundary::reflect: return "reflect";
    case Boundary::open: break;
    }
    return "open";
}

// What a message calls a grid: "3 x 5 x 1, open torus torus".
inline std::string text(const Shape& shape) {
    return std::to_string(shape.nx) + " x " + std::to_string(shape.ny) + " x " + std::to_string(shape.nz) + ", " + text(shape.x) + " " +
           text(shape.y) + " " + text(shape.z);
}

// Sizes that no tile, vector or piece divides, and some that a neighbourhood reaches around.
inline std::vector<std::pair<std::int64_t, std::int64_t>> odd_sizes() {
    return {{1, 1}, {1, 9}, {9, 1}, {2, 2}, {3, 5}, {67, 43}, {257, 129}};
}

// A few of them: Life goes through all, and where the engine cuts a grid is the same for every model.
inline std::vector<std::pair<std::int64_t, std::int64_t>> few_odd_sizes() { return {{1, 9}, {3, 5}, {257, 129}}; }

// The keys of a run file that give a collection this shape.
inline std::vector<std::string> geometry(const std::string& collection, const Shape& shape, int dimensions = 2) {
    const std::int64_t size[] = {shape.nx, shape.ny, shape.nz};
    const Boundary boundary[] = {shape.x, shape.y, shape.z};
    std::string extents, rules;
    for (int axis = 0; axis < dimensions; ++axis) {
        if (axis > 0) extents += ',', rules += ',';
        extents += std::to_string(size[axis]);
        rules += '"';
        rules += text(boundary[axis]);
        rules += '"';
    }
    return {"places." + collection + ".size=[" + extents + "]", "places." + collection + ".boundary=[" + rules + "]"};
}

inline std::vector<std::string> operator+(std::vector<std::string> keys, const std::vector<std::string>& more) {
    keys.insert(keys.end(), more.begin(), more.end());
    return keys;
}

// Initial values as NPY files, which go with this object.
class GivenValues {
public:
    // The key that gives `collection.member` these values; one a place, row-major.
    template<class T>
    std::string key(const std::string& collection, const std::string& member, const std::vector<T>& values, const Shape& shape,
                    int dimensions = 2) {
        const std::int64_t size[] = {shape.nx, shape.ny, shape.nz};
        std::string extents;
        for (int axis = dimensions - 1; axis >= 0; --axis) extents += std::to_string(size[axis]) + ",";
        const char kind = std::is_floating_point_v<T> ? 'f' : std::is_signed_v<T> ? 'i' : 'u';
        std::string header =
            std::string("{'descr': '<") + kind + std::to_string(sizeof(T)) + "', 'fortran_order': False, 'shape': (" + extents + "), }";
        header.resize((10 + header.size() + 64) / 64 * 64 - 11, ' ');
        header += '\n';
        const auto length = static_cast<unsigned>(header.size());
        std::string file("\x93NUMPY\x01\x00", 8);
        file += static_cast<char>(length % 256);
        file += static_cast<char>(length / 256);
        file += header;
        file.append(reinterpret_cast<const char*>(values.data()), values.size() * sizeof(T));
        const auto path = folder_.write(collection + "." + member + ".npy", file);
        return "places." + collection + ".init." + member + "={file=\"" + path.string() + "\"}";
    }

private:
    TemporaryFolder folder_;
};

// One in three alive.
inline std::vector<std::uint8_t> random_cells(const Shape& shape, unsigned seed = 1) {
    std::mt19937 generator(seed);
    std::vector<std::uint8_t> cells(shape.count());
    for (auto& cell : cells) cell = generator() % 3 == 0 ? 1 : 0;
    return cells;
}

// Between -8 and 8, with all bits of the fraction in use.
inline std::vector<float> random_floats(const Shape& shape, unsigned seed = 1) {
    std::mt19937 generator(seed);
    std::vector<float> values(shape.count());
    for (auto& value : values) value = static_cast<float>(generator()) * 0x1p-28f - 8;
    return values;
}

// Fails at the first place where the values differ, bit for bit.
template<class T>
void expect_same(const std::vector<T>& actual, const std::vector<T>& expected, const Shape& shape, const std::string& what) {
    ASSERT_EQ(actual.size(), expected.size()) << what;
    for (std::size_t i = 0; i < actual.size(); ++i) {
        const T is = actual[i], should_be = expected[i];
        if (std::memcmp(&is, &should_be, sizeof(T)) == 0) continue;
        const auto place = static_cast<std::int64_t>(i);
        FAIL() << what << " on " << text(shape) << ": (" << place % shape.nx << ", " << place / shape.nx % shape.ny << ", "
               << place / shape.nx / shape.ny << ") has " << +is << " instead of " << +should_be;
    }
}

} // namespace tessera::test
