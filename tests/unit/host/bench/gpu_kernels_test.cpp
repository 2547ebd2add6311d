// The kernels for a GPU, carried out by the processor thread by thread, or lane by lane between two shuffles, against independent loops,
// bit for bit.
// optimise: yes
// sanitizers: none
#include "host/bench/reference.hpp"
#include "host/plugins/registry.hpp"
#include "tests/reference/heat2d.hpp"
#include "tests/reference/life.hpp"
#include "tests/reference/wave2d.hpp"
#include "tests/support/states.hpp"
#include "tests/unit/host/bench/emulated_cuda.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace emulated {
namespace life_vector {
#include "bench/reference/life/vector.cu"
}
#undef ROWS
namespace life_fused {
#include "bench/reference/life/fused.cu"
}
#undef STEPS
#undef WIDTH
#undef LEAST
namespace life_simple {
#include "bench/reference/life/simple.cu"
}
namespace heat_vector {
#include "bench/reference/heat2d/vector.cu"
}
#undef ROWS
namespace heat_fused {
#include "bench/reference/heat2d/fused.cu"
}
#undef STEPS
#undef WIDTH
#undef LEAST
namespace heat_simple {
#include "bench/reference/heat2d/simple.cu"
}
namespace wave_fused {
#include "bench/reference/wave2d/fused.cu"
}
#undef STEPS
#undef WIDTH
#undef LEAST
namespace wave_vector {
#include "bench/reference/wave2d/vector.cu"
}
#undef ROWS
} // namespace emulated

namespace tessera::bench::gpu_kernels_test {
namespace {

using test::expect_same;

constexpr int steps = 19;

// Two grids in the layout of bench/reference/README.md.
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
        for (std::int64_t y = 0; y < shape_.ny; ++y)
            all.insert(all.end(), place(grid) + y * pitch(), place(grid) + y * pitch() + shape_.nx);
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
        emulated::launch(shaped.grid, shaped.block, [&] {
            step(grids.place(i % 2), grids.place(1 - i % 2), static_cast<int>(shape.nx), static_cast<int>(shape.ny), grids.pitch());
        });
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
        expect_same(
            vector.values(make_steps(vector, shape, shape_of("life", 0, shape), [](auto... a) { emulated::life_vector::step(a...); })),
            expected, shape, "vector.cu");
        expect_same(
            simple.values(make_steps(simple, shape, shape_of("life", 1, shape), [](auto... a) { emulated::life_simple::step(a...); })),
            expected, shape, "simple.cu");
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
        expect_same(vector.values(make_steps(vector, shape, shape_of("heat2d", 0, shape),
                                             [](auto... a) { emulated::heat_vector::step(a..., 0.2f); })),
                    expected, shape, "vector.cu");
        expect_same(simple.values(make_steps(simple, shape, shape_of("heat2d", 1, shape),
                                             [](auto... a) { emulated::heat_simple::step(a..., 0.2f); })),
                    expected, shape, "simple.cu");
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

// With some for a warp whose strip ends before, at and after it, or which has nothing but the ghosts of one side to write, some that are
// narrower than a word, and one that a warp streams through without an edge; the widest odd one is that for strips of 112 columns.
std::vector<std::pair<std::int64_t, std::int64_t>> sizes_for_warps(std::int64_t strip) {
    auto all = test::odd_sizes();
    all.insert(all.end(), {{13, 6}, {24, 5}, {31, 7}, {33, 20}, {strip - 5, 3}, {strip - 4, 4}, {strip, 9}});
    if (strip > 112) all.emplace_back(2 * strip + 72, 41);
    return all;
}

// As many warps as reference.toml asks for, and so few that each makes several pieces.
std::vector<emulated::Index> counts_of_warps(const std::string& model) {
    const auto source = read_reference(installed_folder("reference") / model / "reference.toml").cuda.back();
    EXPECT_EQ(source.file.filename(), "fused.cu");
    EXPECT_EQ(source.steps, 8u);
    EXPECT_EQ(source.block, (std::array<unsigned, 3>{32, 1, 1}));
    return {{source.blocks, 1, 1}, {2, 1, 1}};
}

constexpr int fused_steps = 16; // two launches; then single steps from the ghosts that they leave

// From grid 0 to grid 1, and back. `step(in, out, nx, ny, pitch)` is one lane.
template<class T, class Step>
void make_fused_steps(const Grids<T>& grids, const reference::Shape& shape, const emulated::Index& warps, const Step& step) {
    for (const int in : {0, 1})
        emulated::launch_warps(warps, [&] {
            step(grids.place(in), grids.place(1 - in), static_cast<int>(shape.nx), static_cast<int>(shape.ny), grids.pitch());
        });
}

TEST(FusedGpuKernels, LifeIsThatOfAnIndependentLoop) {
    for (const auto& [nx, ny] : sizes_for_warps(992))
        for (const auto& warps : counts_of_warps("life")) {
            const auto shape = reference::plane(nx, ny, reference::Boundary::torus);
            const auto start = test::random_cells(shape);
            const Grids<unsigned char> grids(shape, start, start);
            make_fused_steps(grids, shape, warps, [](auto... a) { emulated::life_fused::step(a...); });
            expect_same(grids.values(0), reference::life(start, shape, fused_steps), shape, "fused.cu");
            const int end = make_steps(grids, shape, shape_of("life", 1, shape), [](auto... a) { emulated::life_simple::step(a...); });
            expect_same(grids.values(end), reference::life(start, shape, fused_steps + steps), shape, "simple.cu after fused.cu");
        }
}

TEST(FusedGpuKernels, HeatIsThatOfAnIndependentLoop) {
    reference::Heat2d rule;
    rule.r = 0.2f;
    for (const auto& [nx, ny] : sizes_for_warps(112))
        for (const auto& warps : counts_of_warps("heat2d")) {
            const auto shape = reference::plane(nx, ny, reference::Boundary::torus);
            const auto start = test::random_floats(shape);
            const Grids<float> grids(shape, start, start);
            make_fused_steps(grids, shape, warps, [](auto... a) { emulated::heat_fused::step(a..., 0.2f); });
            expect_same(grids.values(0), reference::heat2d(start, shape, rule, fused_steps), shape, "fused.cu");
            const int end =
                make_steps(grids, shape, shape_of("heat2d", 1, shape), [](auto... a) { emulated::heat_simple::step(a..., 0.2f); });
            expect_same(grids.values(end), reference::heat2d(start, shape, rule, fused_steps + steps), shape, "simple.cu after fused.cu");
        }
}

TEST(FusedGpuKernels, WaveIsThatOfAnIndependentLoop) {
    for (const auto& [nx, ny] : sizes_for_warps(112))
        for (const auto& warps : counts_of_warps("wave2d")) {
            const auto shape = reference::plane(nx, ny, reference::Boundary::fixed);
            const reference::Wave2d start{nx, ny, 0.3f, test::random_floats(shape), test::random_floats(shape, 2)}; // on the edge too
            const Grids<float> grids(shape, start.now, start.before), others(shape, start.before, start.now);
            for (const auto& [in, out] : {std::pair{&grids, &others}, {&others, &grids}})
                emulated::launch_warps(warps, [&, in = in, out = out] {
                    emulated::wave_fused::step(in->place(0), in->place(1), out->place(0), out->place(1), static_cast<int>(shape.nx),
                                               static_cast<int>(shape.ny), grids.pitch(), 0.3f);
                });
            const auto expected = reference::wave2d(start, fused_steps);
            expect_same(grids.values(0), expected.now, shape, "now");
            expect_same(grids.values(1), expected.before, shape, "before");
        }
}

TEST(FusedGpuKernels, LanesThatDoNotShuffleWithTheOthersAreFound) {
    EXPECT_THROW(emulated::launch_warps({1, 1, 1},
                                        [] {
                                            if (emulated::threadIdx.x < 31) (void)emulated::__shfl_up_sync(~0u, 1, 1);
                                        }),
                 std::logic_error);
    std::vector<unsigned> from(32);
    emulated::launch_warps({1, 1, 1}, [&] {
        const unsigned lane = emulated::threadIdx.x, up = emulated::__shfl_up_sync(~0u, lane, 2),
                       down = emulated::__shfl_down_sync(~0u, lane, 1);
        from[lane] = 100 * up + down;
    });
    EXPECT_EQ(from[0], 1u);
    EXPECT_EQ(from[17], 1518u);
    EXPECT_EQ(from[31], 2931u);
}

} // namespace
} // namespace tessera::bench::gpu_kernels_test
