// The leadership model of Aaby, Perumalla and Seal (2010), section 5.2, with the paper's constants, in float, from a given initial state.
//
// A step, for all persons at once: M is the largest loyalty among the existing Moore neighbours before the step, 0 if there are none;
// lambda = lambda (1 - delta) + M delta; then the utility of each behaviour B in -1, 0, 1 with the new lambda; the largest wins, a tie
// keeps the present B if it is among the best and else takes the smallest; loyalty is that of the B taken.
#pragma once

#include "tests/reference/grid.hpp"

#include <cmath>

namespace reference {

struct Leadership {
    std::vector<std::int8_t> behaviour, propensity;
    std::vector<float> lambda, loyalty;
};

struct LeadershipRule {
    float order = 1.0f, force = 0.25f, delta = 0.01f;
    float weight_loyalty = 0.33f, weight_coercion = 0.33f, weight_ideology = 0.34f;

    [[nodiscard]] float loyalty(float lambda, int behaviour) const {
        return lambda * std::fabs(order - static_cast<float>(behaviour)) / 2.0f;
    }

    [[nodiscard]] float utility(float lambda, int propensity, int behaviour) const {
        const float l = loyalty(lambda, behaviour);
        const float c = force * std::fabs(order - static_cast<float>(behaviour)) / 2.0f;
        const float i = static_cast<float>(std::abs(propensity - behaviour)) / 2.0f;
        const float l2 = l * l, c2 = c * c, i2 = i * i;
        float u = 1.0f;
        u -= weight_loyalty * l2;
        u -= weight_coercion * c2;
        u -= weight_ideology * i2;
        return u;
    }

    [[nodiscard]] int best(float lambda, int propensity, int present) const {
        const float gain[] = {utility(lambda, propensity, -1), utility(lambda, propensity, 0), utility(lambda, propensity, 1)};
        const float most = std::fmax(gain[0], std::fmax(gain[1], gain[2]));
        if (gain[present + 1] == most) return present;
        return gain[0] == most ? -1 : gain[1] == most ? 0 : 1;
    }
};

// The loyalty that belongs to the first behaviour and lambda.
inline void leadership_weigh(Leadership& state, const LeadershipRule& rule = {}) {
    state.loyalty.resize(state.lambda.size());
    for (std::size_t i = 0; i < state.lambda.size(); ++i) state.loyalty[i] = rule.loyalty(state.lambda[i], state.behaviour[i]);
}

inline void leadership_step(Leadership& state, const Shape& shape, const LeadershipRule& rule = {}) {
    const std::vector<float> before = state.loyalty;
    for (std::int64_t y = 0; y < shape.ny; ++y)
        for (std::int64_t x = 0; x < shape.nx; ++x) {
            float strongest = 0;
            for (int dy = -1; dy <= 1; ++dy)
                for (int dx = -1; dx <= 1; ++dx) {
                    if (dx == 0 && dy == 0) continue;
                    const auto seen = look<float>(before, shape, x + dx, y + dy, 0, 0, 0);
                    if (seen.exists && seen.value > strongest) strongest = seen.value;
                }
            const std::size_t i = shape.index(x, y);
            state.lambda[i] = state.lambda[i] * (1.0f - rule.delta) + strongest * rule.delta;
            state.behaviour[i] = static_cast<std::int8_t>(rule.best(state.lambda[i], state.propensity[i], state.behaviour[i]));
            state.loyalty[i] = rule.loyalty(state.lambda[i], state.behaviour[i]);
        }
}

inline void leadership(Leadership& state, const Shape& shape, int steps, const LeadershipRule& rule = {}) {
    for (int step = 0; step < steps; ++step) leadership_step(state, shape, rule);
}

} // namespace reference
