// The kernels for a GPU, carried out by the processor thread by thread, against independent loops, bit for bit.
#include "host/bench/reference.hpp"
#include "host/plugins/registry.hpp"
#include "tests/reference/heat2d.hpp"
#include "tests/reference/life.hpp"
#include "tests/reference/wave2d.hpp"
#include "tests/unit/bench/emulated_cuda.hpp"
#include "tests/unit/engine/states.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace emulated {
namespace life_vector {
#include "tests/bench/reference/life/vector.cu"
}
#undef ROWS
namespace life_simple {
#include "tests/bench/reference/life/simple.cu"
}
namespace heat_vector {
#include "tests/bench/reference/heat2d/vector.cu"
}
#undef ROWS
namespace heat_simple {
#include "tests/bench/reference/heat2d/simple.cu"
}
namespace wave_vector {
#include "tests/bench/reference/wave2d/vector.cu"
}
#undef ROWS
} // namespace emulated

namespace tessera::bench {
namespace {

using test::expect_same;

constexpr int steps = 19;

// Two grids in the layout of tests/bench/reference/README.md.
template<class T> class Grids {
public:
    Grids(const reference::Shape& shape, const std::vector<T>& first, const std::vector<T>& second) : shape_(shape) {
        row_ = (static_cast<std::size_t>(shape.nx) * sizeof(T) + 144 + 127) / 128 * 128;
        const auto bytes = 128 + (static_cast<std::size_t>(shape.ny) + 2) * row_ + 128;
        for (auto& grid : grids_) {
            grid.reset(static_cast<std::byte*>(std::aligned_alloc(128, (bytes + 127) / 128 * 128)));
            std::memset(grid.get(), 0x5a, bytes); // what nobody may use
        }
        fill(0, first);
        fill(1, second);
    }
    [[nodiscard]] long long pitch() const { return static_cast<long long>(row_ / sizeof(T)); }
    [[nodiscard]] T* place(int grid) const { return reinterpret_cast<T*>(grids_[grid].get() + 128 + row_); }
    [[nodiscard]] std::vector<T> values(int grid) const {
        std::vector<T> all;
        for (std::int64_t y = 0; y < shape_.ny; ++y) all.insert(all.end(), place(grid) + y * pitch(), place(grid) + y * pitch() + shape_.nx);
        return all;
    }

private:
    void fill(int grid, const std::vector<T>& values) {
        for (std::int64_t y = -1; y <= shape_.ny; ++y)
            for (std::int64_t x = -1; x <= shape_.nx; ++x)
                place(grid)[y * pitch() + x] = values[shape_.index((x + shape_.nx) % shape_.nx, (y + shape_.ny) % shape_.ny)];
    }
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    reference::Shape shape_;
    std::size_t row_ = 0;
    std::unique_ptr<std::byte, Free> grids_[2];
};

// The launch that reference.toml asks for.
struct Shaped {
    emulated::Index grid, block;
};
Shaped shape_of(const std::string& model, std::size_t which, const reference::Shape& shape) {
    const auto source = read_reference(installed_folder("reference") / model / "reference.toml").cuda.at(which);
    const auto blocks = [](std::int64_t n, int covered) { return static_cast<unsigned>((n + covered - 1) / covered); };
    return {{blocks(shape.nx, source.covers[0]), blocks(shape.ny, source.covers[1]), 1}, {source.block[0], source.block[1], 1}};
}

// Makes the steps; the state is in the grid that is returned. `step(in, out, nx, ny, pitch)` is one thread.
template<class T, class Step> int make_steps(const Grids<T>& grids, const reference::Shape& shape, const Shaped& shaped, const Step& step) {
    for (int i = 0; i < steps; ++i)
        emulated::launch(shaped.grid, shaped.block,
                         [&] { step(grids.place(i % 2), grids.place(1 - i % 2), static_cast<int>(shape.nx), static_cast<int>(shape.ny), grids.pitch()); });
    return steps % 2;
}

// Some larger than one block, and some whose last block is whole.
std::vector<std::pair<std::int64_t, std::int64_t>> sizes() {
    auto all = test::odd_sizes();
    all.insert(all.end(), {{512, 32}, {1030, 70}, {16, 8}});
    return all;
}

TEST(GpuKernels, LifeIsThatOfAnIndependentLoop) {
    for (const auto& [nx, ny] : sizes()) {
        const auto shape = reference::plane(nx, ny, reference::Boundary::torus);
        const auto start = test::random_cells(shape);
        const auto expected = reference::life(start, shape, steps);
        const Grids<unsigned char> vector(shape, start, start), simple(shape, start, start);
        expect_same(vector.values(make_steps(vector, shape, shape_of("life", 0, shape), [](auto... a) { emulated::life_vector::step(a...); })), expected, shape, "vector.cu");
        expect_same(simple.values(make_steps(simple, shape, shape_of("life", 1, shape), [](auto... a) { emulated::life_simple::step(a...); })), expected, shape, "simple.cu");
    }
}

TEST(GpuKernels, HeatIsThatOfAnIndependentLoop) {
    reference::Heat2d rule;
    rule.r = 0.2f;
    for (const auto& [nx, ny] : sizes()) {
        const auto shape = reference::plane(nx, ny, reference::Boundary::torus);
        const auto start = test::random_floats(shape);
        const auto expected = reference::heat2d(start, shape, rule, steps);
        const Grids<float> vector(shape, start, start), simple(shape, start, start);
        expect_same(vector.values(make_steps(vector, shape, shape_of("heat2d", 0, shape), [](auto... a) { emulated::heat_vector::step(a..., 0.2f); })), expected, shape,
                    "vector.cu");
        expect_same(simple.values(make_steps(simple, shape, shape_of("heat2d", 1, shape), [](auto... a) { emulated::heat_simple::step(a..., 0.2f); })), expected, shape,
                    "simple.cu");
    }
}

TEST(GpuKernels, WaveIsThatOfAnIndependentLoop) {
    for (const auto& [nx, ny] : sizes()) {
        const auto shape = reference::plane(nx, ny, reference::Boundary::fixed);
        const auto start = reference::wave2d_at_rest(reference::wave2d_lifted<float>(nx, ny), nx, ny, 0.3f);
        const auto expected = reference::wave2d(start, steps);
        const Grids<float> grids(shape, start.now, start.before);
        const int now = make_steps(grids, shape, shape_of("wave2d", 0, shape), [](auto... a) { emulated::wave_vector::step(a..., 0.3f); });
        expect_same(grids.values(now), expected.now, shape, "now");
        expect_same(grids.values(1 - now), expected.before, shape, "before");
    }
}

} // namespace
} // namespace tessera::bench
