// Heat2D and Wave2D against exact solutions: what the difference schemes make of a mode, and how fast they approach what the equations do.
#include "tests/reference/closed_forms.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

namespace tessera::test::closed_forms_test {
namespace {

using reference::Mode;

class ClosedForms : public OnDevice {
protected:
    static std::vector<float> product(const Shape& shape, const Mode& x, const Mode& y, double factor = 1) {
        std::vector<float> values(shape.count());
        for (std::int64_t j = 0; j < shape.ny; ++j)
            for (std::int64_t i = 0; i < shape.nx; ++i) values[shape.index(i, j)] = static_cast<float>(factor * x(i) * y(j));
        return values;
    }
    static double largest_difference(const std::vector<float>& a, const std::vector<float>& b) {
        double largest = 0;
        for (std::size_t i = 0; i < a.size(); ++i)
            largest = std::max(largest, std::fabs(static_cast<double>(a[i]) - static_cast<double>(b[i])));
        return largest;
    }
    static std::vector<float> heat_after(std::uint64_t steps, double r, const Shape& shape, const std::vector<float>& start) {
        GivenValues given;
        WorldUnderTest world(plugin("heat2d"),
                             geometry("plate", shape) +
                                 std::vector<std::string>{"params.r=" + std::to_string(r), given.key("plate", "heat", start, shape)},
                             on_this());
        world.step_to(steps);
        return world.values<float>("plate", "heat");
    }
    static std::vector<float> wave_after(std::uint64_t steps, double k, const Shape& shape, const std::vector<float>& start) {
        GivenValues given;
        WorldUnderTest world(plugin("wave2d"),
                             geometry("wave", shape) +
                                 std::vector<std::string>{"params.k=" + std::to_string(k), given.key("wave", "now", start, shape)},
                             on_this());
        world.step_to(steps);
        return world.values<float>("wave", "now");
    }
};

TEST_P(ClosedForms, HeatOfAModeDecaysAsTheSchemeSays) {
    struct Case {
        Boundary boundary;
        Mode (*mode)(int, std::int64_t);
    };
    constexpr double r = 0.25;
    for (const auto& [boundary, mode] : {Case{Boundary::torus, reference::torus_mode},
                                         {Boundary::fixed, reference::fixed_mode},
                                         {Boundary::reflect, reference::reflect_mode}}) {
        const auto shape = reference::plane(61, 47, boundary);
        const auto x = mode(2, shape.nx), y = mode(3, shape.ny);
        const double factor = std::pow(reference::heat_factor(r, x, y), 100);
        ASSERT_GT(factor, 0.001);
        ASSERT_LT(factor, 0.7);
        EXPECT_LT(largest_difference(heat_after(100, r, shape, product(shape, x, y)), product(shape, x, y, factor)), 2e-6)
            << text(boundary);
    }
}

TEST_P(ClosedForms, StandingWaveSwingsAsTheSchemeSays) {
    constexpr double k = 0.25;
    const auto shape = reference::plane(61, 47, Boundary::fixed);
    const auto x = reference::clamped_mode(2, shape.nx), y = reference::clamped_mode(1, shape.ny);
    for (const std::uint64_t steps : {1, 50, 333}) {
        const double swing = std::cos(reference::wave_frequency(k, x, y) * static_cast<double>(steps));
        EXPECT_LT(largest_difference(wave_after(steps, k, shape, product(shape, x, y)), product(shape, x, y, swing)), 2e-4)
            << "after " << steps << " steps";
    }
}

// Twice the places along each axis, and so four times the steps to the same time, leave a quarter of the error.
TEST_P(ClosedForms, HeatConvergesWithSecondOrder) {
    constexpr double r = 0.25;
    double errors[3];
    for (int i = 0; i < 3; ++i) {
        const std::int64_t n = 16 << i;
        const std::uint64_t steps = 16u << (2 * i);
        const auto shape = reference::plane(n, n, Boundary::torus);
        const auto mode = reference::torus_mode(1, n);
        const double factor = std::pow(reference::heat_factor_continuous(r, mode, mode), static_cast<double>(steps));
        errors[i] = largest_difference(heat_after(steps, r, shape, product(shape, mode, mode)), product(shape, mode, mode, factor));
    }
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), 2, 0.1) << errors[i] << " to " << errors[i + 1];
}

// Twice the places, and twice the steps.
TEST_P(ClosedForms, WaveConvergesWithSecondOrder) {
    constexpr double k = 0.25;
    double errors[3];
    for (int i = 0; i < 3; ++i) {
        const std::int64_t intervals = 8 << i;
        const std::uint64_t steps = 20u << i;
        const auto shape = reference::plane(intervals + 1, intervals + 1, Boundary::open);
        const auto mode = reference::clamped_mode(1, intervals + 1);
        const double swing = std::cos(reference::wave_frequency_continuous(k, mode, mode) * static_cast<double>(steps));
        errors[i] = largest_difference(wave_after(steps, k, shape, product(shape, mode, mode)), product(shape, mode, mode, swing));
    }
    for (int i = 0; i < 2; ++i) EXPECT_NEAR(std::log2(errors[i] / errors[i + 1]), 2, 0.1) << errors[i] << " to " << errors[i + 1];
}

TESSERA_ON_EVERY_DEVICE(ClosedForms);

} // namespace
} // namespace tessera::test::closed_forms_test
