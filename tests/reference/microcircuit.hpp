// The column of cortex of Potjans and Diesmann (Cerebral Cortex 24, 785, 2014), or a part of it, written as loops in double with random
// numbers of its own: sizes, chances and inputs of its table 5, neurons of its table 4, integrated exactly for steps of 0.1 ms (Rotter and
// Diesmann, Biological Cybernetics 81, 381, 1999). A part has that part of the neurons, and of each neuron's synapses; these are stronger
// by the root of it, and a current stands for the mean that is missing (van Albada, Helias and Diesmann, PLoS Computational Biology 11,
// 2015).
#pragma once

#include <array>
#include <cmath>
#include <cstdint>
#include <random>
#include <vector>

namespace reference {

struct Column {
    static constexpr std::size_t populations = 8; // L2/3e, L2/3i, L4e, L4i, L5e, L5i, L6e, L6i
    static constexpr std::array<double, populations> neurons{20683, 5834, 21915, 5479, 4850, 1065, 14395, 2948};
    static constexpr std::array<double, populations> inputs{1600, 1500, 2100, 1900, 2000, 1900, 2900, 2100};
    static constexpr std::array<double, populations> rates{0.903, 2.965, 4.414, 5.876, 7.569, 8.633, 1.105, 7.829}; // a second
    static constexpr double chances[populations][populations] = {                                                   // to, from
        {0.1009, 0.1689, 0.0437, 0.0818, 0.0323, 0.0, 0.0076, 0.0},       {0.1346, 0.1371, 0.0316, 0.0515, 0.0755, 0.0, 0.0042, 0.0},
        {0.0077, 0.0059, 0.0497, 0.135, 0.0067, 0.0003, 0.0453, 0.0},     {0.0691, 0.0029, 0.0794, 0.1597, 0.0033, 0.0, 0.1057, 0.0},
        {0.1004, 0.0622, 0.0505, 0.0057, 0.0831, 0.3726, 0.0204, 0.0},    {0.0548, 0.0269, 0.0257, 0.0022, 0.06, 0.3158, 0.0086, 0.0},
        {0.0156, 0.0066, 0.0211, 0.0166, 0.0572, 0.0197, 0.0396, 0.2252}, {0.0364, 0.001, 0.0034, 0.0005, 0.0277, 0.008, 0.0658, 0.1443}};

    // Of the whole column: from one population to another.
    static double synapses(std::size_t to, std::size_t from) {
        return std::log(1 - chances[to][from]) / std::log1p(-1 / (neurons[to] * neurons[from]));
    }
    static double weight(std::size_t to, std::size_t from) {
        if (from % 2 == 1) return -4 * 87.81;
        return from == 2 && to == 0 ? 2 * 87.81 : 87.81;
    }
};

class Microcircuit : public Column {
public:
    // With so many neurons of each population.
    Microcircuit(const std::array<std::int64_t, populations>& sizes, std::uint32_t seed) : sizes_(sizes), dice_(seed) {
        std::int64_t all = 0;
        for (std::size_t p = 0; p < populations; ++p) {
            first_[p] = all;
            all += sizes[p];
            population_.insert(population_.end(), static_cast<std::size_t>(sizes[p]), p);
        }
        part_ = static_cast<double>(all) / 77169;
        for (std::int64_t i = 0; i < all; ++i) v_.push_back(-58 + 10 * normal_(dice_));
        current_.resize(v_.size()), rests_.resize(v_.size()), synapses_.resize(v_.size());
        for (auto& plane : under_way_) plane.resize(v_.size());
        for (std::size_t to = 0; to < populations; ++to)
            for (std::size_t from = 0; from < populations; ++from) join(to, from);
    }

    // Of each population how many fire.
    std::array<std::int64_t, populations> step() {
        const double slow = std::exp(-0.1 / 10), fast = std::exp(-0.1 / 0.5), by_current = 10 * 0.5 / 9.5 * (slow - fast) / 250;
        std::array<std::int64_t, populations> fired{};
        auto& due = under_way_[now_ % planes];
        for (std::size_t i = 0; i < v_.size(); ++i) {
            const auto p = population_[i];
            if (rests_[i] > 0)
                --rests_[i];
            else
                v_[i] = -65 + (v_[i] + 65) * slow + current_[i] * by_current + missing_[p] * 10 * (1 - slow) / 250;
            current_[i] = current_[i] * fast + due[i] + 87.81 / std::sqrt(part_) * noise_[p](dice_);
            due[i] = 0;
            if (v_[i] < -50) continue;
            v_[i] = -65, rests_[i] = 20, ++fired[p];
            for (const auto& synapse : synapses_[i]) under_way_[(now_ + synapse.delay) % planes][synapse.to] += synapse.weight;
        }
        ++now_;
        return fired;
    }

private:
    struct Synapse {
        std::uint32_t to;
        std::uint32_t delay;
        double weight;
    };
    static constexpr std::size_t planes = 128;

    void join(std::size_t to, std::size_t from) {
        const double weak = 1 - std::sqrt(part_), all = synapses(to, from), mean = weight(to, from);
        missing_[to] += weak * mean * all / neurons[to] * rates[from] * 0.5e-3;
        if (from == 0) {
            missing_[to] += weak * 87.81 * inputs[to] * 8 * 0.5e-3;
            noise_[to] = std::poisson_distribution<int>(inputs[to] * part_ * 8 * 1e-4);
        }
        std::uniform_int_distribution<std::int64_t> source(first_[from], first_[from] + sizes_[from] - 1);
        std::uniform_int_distribution<std::int64_t> target(first_[to], first_[to] + sizes_[to] - 1);
        for (std::int64_t i = 0; i < std::llround(all * part_ * part_); ++i) {
            const double steps = std::round((mean > 0 ? 15 : 8) * (1 + 0.5 * normal_(dice_)));
            synapses_[static_cast<std::size_t>(source(dice_))].push_back({static_cast<std::uint32_t>(target(dice_)),
                                                                          static_cast<std::uint32_t>(steps < 1 ? 1 : steps),
                                                                          mean / std::sqrt(part_) * (1 + 0.1 * normal_(dice_))});
        }
    }

    std::array<std::int64_t, populations> sizes_, first_{};
    std::mt19937 dice_;
    std::normal_distribution<double> normal_;
    std::array<std::poisson_distribution<int>, populations> noise_;
    double part_ = 0;
    std::array<double, populations> missing_{};
    std::vector<std::size_t> population_;
    std::vector<double> v_, current_;
    std::vector<int> rests_;
    std::vector<std::vector<Synapse>> synapses_;
    std::array<std::vector<double>, planes> under_way_;
    std::uint64_t now_ = 0;
};

} // namespace reference
