// The loops written by hand against independent ones, and against the engine, bit for bit.
// optimise: yes
#include "device_runtime/error.hpp"
#include "host/bench/reference_kernel.hpp"
#include "host/plugins/registry.hpp"
#include "tests/reference/heat2d.hpp"
#include "tests/reference/life.hpp"
#include "tests/reference/wave2d.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::bench::kernels_test {
namespace {

using test::expect_same;

constexpr int steps = 37, more_steps = 164; // among them some that are recorded

template<class T> Array array_of(const std::vector<T>& values, const reference::Shape& shape) {
    Array array{{Array::scalar_of<T>(), {shape.nx, shape.ny, 1}, 1, 2}, {}};
    array.bytes.resize(values.size() * sizeof(T));
    std::memcpy(array.bytes.data(), values.data(), array.bytes.size());
    return array;
}

template<class T> std::vector<T> values_of(const Array& array) {
    const auto values = array.data<T>();
    return {values.begin(), values.end()};
}

// The first kernel by hand of a model on the CPU, from the state that is given.
class ByHand {
public:
    ByHand(const std::string& model, const reference::Shape& shape, const std::vector<std::string>& overrides,
           const std::vector<Array>& initial, int threads = 3)
        : device_(open_device("cpu", threads)) {
        const auto reference = read_reference(installed_folder("reference") / model / "reference.toml");
        const auto collection = *reference.collection;
        using test::operator+;
        const auto run =
            prepare({test::plugin(model), test::geometry(collection, shape) + overrides + std::vector<std::string>{"output=[]"}, {}},
                    test::compiler());
        EXPECT_EQ(obstacle(reference, run.setup), "");
        kernel_ = std::make_unique<ReferenceKernel>(reference, reference.cpu.at(0), run.setup, initial, *device_, test::compiler());
    }
    ReferenceKernel* operator->() { return kernel_.get(); }

private:
    std::unique_ptr<Device> device_;
    std::unique_ptr<ReferenceKernel> kernel_;
};

TEST(LoopsByHand, LifeIsThatOfAnIndependentLoop) {
    for (const auto& [nx, ny] : test::odd_sizes()) {
        const auto shape = reference::plane(nx, ny, reference::Boundary::torus);
        const auto start = test::random_cells(shape);
        ByHand life("life", shape, {}, {array_of(start, shape)});
        expect_same(values_of<std::uint8_t>(life->state().at(0)), start, shape, "the start");
        life->advance(steps);
        expect_same(values_of<std::uint8_t>(life->state().at(0)), reference::life(start, shape, steps), shape, "life");
        life->advance(more_steps);
        expect_same(values_of<std::uint8_t>(life->state().at(0)), reference::life(start, shape, steps + more_steps), shape, "life");
    }
}

TEST(LoopsByHand, HeatIsThatOfAnIndependentLoop) {
    reference::Heat2d rule;
    rule.r = 0.2f;
    for (const auto& [nx, ny] : test::odd_sizes()) {
        const auto shape = reference::plane(nx, ny, reference::Boundary::torus);
        const auto start = test::random_floats(shape);
        ByHand heat("heat2d", shape, {"params.r=0.2"}, {array_of(start, shape)});
        heat->advance(steps);
        expect_same(values_of<float>(heat->state().at(0)), reference::heat2d(start, shape, rule, steps), shape, "heat");
    }
}

TEST(LoopsByHand, WaveIsThatOfAnIndependentLoop) {
    for (const auto& [nx, ny] : test::odd_sizes()) {
        const auto shape = reference::plane(nx, ny, reference::Boundary::fixed);
        auto lifted = test::random_floats(shape);
        for (std::int64_t i = 0; i < static_cast<std::int64_t>(lifted.size()); ++i)
            if (i % nx == 0 || i % nx == nx - 1 || i / nx == 0 || i / nx == ny - 1) lifted[static_cast<std::size_t>(i)] = 0;
        const auto start = reference::wave2d_at_rest(lifted, nx, ny, 0.3f);
        ByHand wave("wave2d", shape, {"params.k=0.3"}, {array_of(start.now, shape), array_of(start.before, shape)});
        for (const int count : {steps, steps + 1}) { // the grids change places
            wave->advance(count == steps ? steps : 1);
            const auto expected = reference::wave2d(start, count);
            expect_same(values_of<float>(wave->state().at(0)), expected.now, shape, "now");
            expect_same(values_of<float>(wave->state().at(1)), expected.before, shape, "before");
        }
    }
}

// The engine's own state 0, by its own init functions.
TEST(LoopsByHand, MakeTheEnginesSteps) {
    for (const std::string model : {"life", "heat2d", "wave2d"}) {
        const auto reference = read_reference(installed_folder("reference") / model / "reference.toml");
        const auto shape = reference::plane(211, 107, reference::Boundary::torus);
        test::WorldUnderTest world(test::plugin(model), test::geometry(*reference.collection, shape));
        const auto members = [&] {
            std::vector<Array> all;
            for (const auto& name : reference.members) all.push_back(world.read(*reference.collection, *name));
            return all;
        };
        ByHand by_hand(model, shape, {}, members());
        by_hand->advance(steps);
        world.step_to(steps);
        const auto found = by_hand->state(), expected = members();
        ASSERT_EQ(found.size(), expected.size());
        for (std::size_t i = 0; i < found.size(); ++i) EXPECT_EQ(found[i].bytes, expected[i].bytes) << model;
    }
}

TEST(LoopsByHand, AFileThatIsNotThereIsToldWithWhoNamesIt) {
    const auto run = prepare({test::plugin("life"), {"output=[]"}, {}}, test::compiler());
    auto reference = read_reference(installed_folder("reference") / "life" / "reference.toml");
    reference.cpu[0].file = "nowhere.cpp";
    try {
        (void)reference_text(reference, reference.cpu[0], run.setup, false);
        FAIL() << "it was read";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::input);
        EXPECT_EQ(std::string(error.what()).rfind("cannot read nowhere.cpp (", 0), 0u) << error.what();
    }
}

} // namespace
} // namespace tessera::bench::kernels_test
