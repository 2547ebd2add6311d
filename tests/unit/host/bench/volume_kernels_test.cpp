// Kernels and loops by hand on grids of three dimensions against independent loops, bit for bit: those for a GPU carried out by the
// processor thread by thread.
// optimise: yes
// sanitizers: none
#include "device_runtime/devices.hpp"
#include "host/bench/reference_kernel.hpp"
#include "host/plugins/registry.hpp"
#include "tests/reference/life3d.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"
#include "tests/unit/host/bench/emulated_cuda.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>

namespace emulated {
namespace life3d_march {
#include "bench/reference/life3d/march.cu"
}
#undef ROWS
#undef PLANES
#undef WORDS
namespace life3d_simple {
#include "bench/reference/life3d/simple.cu"
}
namespace heat3d_march {
#include "bench/reference/heat3d/march.cu"
}
#undef PLANES
namespace heat3d_simple {
#include "bench/reference/heat3d/simple.cu"
}
} // namespace emulated

namespace tessera::bench::volume_kernels_test {
namespace {

using test::expect_same;

constexpr int steps = 7;

std::vector<float> heat3d(std::vector<float> heat, const reference::Shape& shape, float r, int count) {
    for (int step = 0; step < count; ++step) {
        const auto now = heat;
        for (std::int64_t z = 0; z < shape.nz; ++z)
            for (std::int64_t y = 0; y < shape.ny; ++y)
                for (std::int64_t x = 0; x < shape.nx; ++x) {
                    const auto at = [&](int dx, int dy, int dz) {
                        return reference::look<float>(now, shape, x + dx, y + dy, z + dz, 0, 0).value;
                    };
                    const float around = at(-1, 0, 0) + at(1, 0, 0) + at(0, -1, 0) + at(0, 1, 0) + at(0, 0, -1) + at(0, 0, 1);
                    heat[shape.index(x, y, z)] = at(0, 0, 0) + r * (around - 6.0f * at(0, 0, 0));
                }
    }
    return heat;
}

// Two grids in the layout of bench/reference/README.md.
template<class T> class Volumes {
public:
    Volumes(const reference::Shape& shape, const std::vector<T>& first) : shape_(shape) {
        row_ = (static_cast<std::size_t>(shape.nx) * sizeof(T) + 144 + 127) / 128 * 128;
        plane_ = row_ * static_cast<std::size_t>(shape.ny + 2);
        const auto bytes = 128 + static_cast<std::size_t>(shape.nz + 2) * plane_ + 256;
        for (auto& grid : grids_) {
            grid.reset(static_cast<std::byte*>(std::aligned_alloc(128, (bytes + 127) / 128 * 128)));
            std::memset(grid.get(), 0x5a, bytes); // what nobody may use
        }
        for (std::int64_t z = -1; z <= shape.nz; ++z)
            for (std::int64_t y = -1; y <= shape.ny; ++y)
                for (std::int64_t x = -1; x <= shape.nx; ++x)
                    place(0)[z * plane() + y * pitch() + x] =
                        first[shape.index((x + shape.nx) % shape.nx, (y + shape.ny) % shape.ny, (z + shape.nz) % shape.nz)];
    }
    [[nodiscard]] long long pitch() const { return static_cast<long long>(row_ / sizeof(T)); }
    [[nodiscard]] long long plane() const { return static_cast<long long>(plane_ / sizeof(T)); }
    [[nodiscard]] T* place(std::size_t grid) const { return reinterpret_cast<T*>(grids_[grid].get() + 128 + plane_ + row_); }

    // Behind some steps of one thread's `step(in, out, nx, ny, nz, pitch, plane)`, launched as reference.toml asks for.
    template<class Step> std::vector<T> after_steps(const std::string& model, std::size_t which, const Step& step) const {
        const auto source = read_reference(installed_folder("reference") / model / "reference.toml").cuda.at(which);
        const std::int64_t size[] = {shape_.nx, shape_.ny, shape_.nz};
        unsigned blocks[3];
        for (std::size_t axis = 0; axis < 3; ++axis)
            blocks[axis] = static_cast<unsigned>((size[axis] + source.covers[axis] - 1) / source.covers[axis]);
        for (std::size_t i = 0; i < steps; ++i)
            emulated::launch({blocks[0], blocks[1], blocks[2]}, {source.block[0], source.block[1], source.block[2]}, [&] {
                step(place(i % 2), place(1 - i % 2), static_cast<int>(shape_.nx), static_cast<int>(shape_.ny), static_cast<int>(shape_.nz),
                     pitch(), plane());
            });
        std::vector<T> all;
        for (std::int64_t z = 0; z < shape_.nz; ++z)
            for (std::int64_t y = 0; y < shape_.ny; ++y) {
                const T* const row = place(steps % 2) + z * plane() + y * pitch();
                all.insert(all.end(), row, row + shape_.nx);
            }
        return all;
    }

private:
    struct Free {
        void operator()(std::byte* memory) const { std::free(memory); }
    };
    reference::Shape shape_;
    std::size_t row_ = 0, plane_ = 0;
    std::unique_ptr<std::byte, Free> grids_[2];
};

// Some larger than a block on each axis, some whose last block is whole, and places that are their own neighbours.
std::vector<reference::Shape> shapes() {
    std::vector<reference::Shape> all;
    for (const auto& [nx, ny, nz] :
         std::vector<std::array<std::int64_t, 3>>{{1, 1, 1}, {3, 1, 2}, {16, 8, 4}, {21, 13, 7}, {130, 6, 9}, {525, 9, 3}})
        all.push_back(reference::block(nx, ny, nz, reference::Boundary::torus));
    return all;
}

TEST(VolumeKernels, LifeIsThatOfAnIndependentLoop) {
    for (const auto& shape : shapes()) {
        const auto start = test::random_cells(shape);
        const auto expected = reference::life3d(start, shape, steps);
        const Volumes<unsigned char> march(shape, start), simple(shape, start);
        expect_same(march.after_steps("life3d", 0, [](auto... a) { emulated::life3d_march::step(a...); }), expected, shape, "march.cu");
        expect_same(simple.after_steps("life3d", 1, [](auto... a) { emulated::life3d_simple::step(a...); }), expected, shape, "simple.cu");
    }
}

TEST(VolumeKernels, HeatIsThatOfAnIndependentLoop) {
    for (const auto& shape : shapes()) {
        const auto start = test::random_floats(shape);
        const auto expected = heat3d(start, shape, 0.1f, steps);
        const Volumes<float> march(shape, start), simple(shape, start);
        expect_same(march.after_steps("heat3d", 0, [](auto... a) { emulated::heat3d_march::step(a..., 0.1f); }), expected, shape,
                    "march.cu");
        expect_same(simple.after_steps("heat3d", 1, [](auto... a) { emulated::heat3d_simple::step(a..., 0.1f); }), expected, shape,
                    "simple.cu");
    }
}

// The loop by hand, as `tessera bench` runs it: its state behind some steps.
template<class T>
std::vector<T> by_loop(const std::string& model, const std::string& collection, const reference::Shape& shape,
                       const std::vector<T>& start) {
    const auto folder = installed_folder("reference") / model;
    const auto reference = read_reference(folder / "reference.toml");
    using test::operator+;
    const auto prepared =
        prepare({folder.string(), test::geometry(collection, shape, 3) + std::vector<std::string>{"output=[]"}, {}}, test::compiler());
    EXPECT_EQ(obstacle(reference, prepared.setup), "");
    Array array{{Array::scalar_of<T>(), {shape.nx, shape.ny, shape.nz}, 1, 3}, {}};
    array.bytes.resize(start.size() * sizeof(T));
    std::memcpy(array.bytes.data(), start.data(), array.bytes.size());
    const auto device = open_device("cpu", 3);
    ReferenceKernel kernel(reference, reference.cpu.at(0), prepared.setup, {array}, *device, test::compiler());
    kernel.advance(steps);
    const auto state = kernel.state();
    const auto values = state.at(0).data<T>();
    return {values.begin(), values.end()};
}

TEST(VolumeLoops, AreThoseOfIndependentLoops) {
    for (const auto& shape :
         {reference::block(21, 13, 7, reference::Boundary::torus), reference::block(3, 1, 2, reference::Boundary::torus)}) {
        const auto cells = test::random_cells(shape);
        expect_same(by_loop("life3d", "cell", shape, cells), reference::life3d(cells, shape, steps), shape, "life3d");
        const auto heat = test::random_floats(shape);
        expect_same(by_loop("heat3d", "block", shape, heat), heat3d(heat, shape, 0.1f, steps), shape, "heat3d");
    }
}

// The engine rounds as the kernels by hand do.
TEST(VolumeLoops, MakeTheEnginesSteps) {
    using test::operator+;
    const auto shape = reference::block(19, 12, 9, reference::Boundary::torus);
    const auto heat = test::random_floats(shape);
    test::GivenValues given;
    test::WorldUnderTest world((installed_folder("reference") / "heat3d").string(),
                               test::geometry("block", shape, 3) + std::vector{given.key("block", "heat", heat, shape, 3)});
    world.step_to(steps);
    expect_same(world.values<float>("block", "heat"), heat3d(heat, shape, 0.1f, steps), shape, "heat3d");
}

} // namespace
} // namespace tessera::bench::volume_kernels_test
