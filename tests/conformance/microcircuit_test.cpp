// The column of cortex against its published tables, and against a plain program with random numbers of its own
// (reference/microcircuit.hpp). optimise: yes
#include "tests/reference/microcircuit.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>

namespace tessera::test::microcircuit_test {
namespace {

using reference::Column;

constexpr std::size_t populations = Column::populations;
using Counts = std::array<std::int64_t, populations>;

TEST(MicrocircuitTables, HaveThePublishedNumbers) {
    double synapses = 0;
    for (std::size_t to = 0; to < populations; ++to)
        for (std::size_t from = 0; from < populations; ++from) synapses += std::floor(Column::synapses(to, from));
    EXPECT_NEAR(synapses, 298'880'941, 1);
    EXPECT_EQ(std::accumulate(Column::neurons.begin(), Column::neurons.end(), 0.0), 77169);
}

class Microcircuit : public OnDevice {
protected:
    explicit Microcircuit() : world_(plugin("microcircuit"), {}, on_this()) {
        population_ = world_.values<std::uint8_t>("neuron", "population");
        for (const auto population : population_) ++sizes_.at(population);
    }
    [[nodiscard]] std::vector<std::int32_t> ends(std::size_t end) const {
        const auto& setup = world_.setup();
        const auto first = setup.column_of(require_collection(setup, "synapse", {}), Role::link_end);
        const auto read = world_.simulation().read(ColumnId(first.index() + end));
        const auto values = read.data<std::int32_t>();
        return {values.begin(), values.end()};
    }

    WorldUnderTest world_;
    std::vector<std::uint8_t> population_;
    Counts sizes_{};
};

TEST_P(Microcircuit, HasTheSynapsesOfItsPart) {
    const double part = static_cast<double>(population_.size()) / 77169;
    for (std::size_t p = 0; p < populations; ++p) EXPECT_NEAR(static_cast<double>(sizes_[p]), Column::neurons[p] * part, 0.7) << p;
    struct Of {
        std::int64_t count = 0;
        double weight = 0, weight2 = 0, delay = 0;
    };
    std::array<std::array<Of, populations>, populations> all{};
    const auto from = ends(0), to = ends(1);
    const auto weight = world_.values<float>("synapse", "weight");
    const auto delay = world_.values<std::uint8_t>("synapse", "delay");
    for (std::size_t i = 0; i < from.size(); ++i) {
        auto& of = all[population_[static_cast<std::size_t>(to[i])]][population_[static_cast<std::size_t>(from[i])]];
        ++of.count;
        of.weight += weight[i], of.weight2 += static_cast<double>(weight[i]) * weight[i], of.delay += delay[i] + 1;
    }
    for (std::size_t t = 0; t < populations; ++t)
        for (std::size_t f = 0; f < populations; ++f) {
            const auto& of = all[t][f];
            const auto count = static_cast<double>(of.count);
            EXPECT_EQ(of.count, std::llround(Column::synapses(t, f) * part * part)) << f << " to " << t;
            if (of.count < 10'000) continue;
            const double mean = Column::weight(t, f), sample = 6 / std::sqrt(count); // standard errors
            EXPECT_NEAR(of.weight / count, mean, 0.1 * std::fabs(mean) * sample) << f << " to " << t;
            EXPECT_NEAR(of.weight2 / count, 1.01 * mean * mean, 0.22 * mean * mean * sample) << f << " to " << t;
            // Of 0.1 ms at least: the mean of what is below is a little more.
            EXPECT_NEAR(of.delay / count, mean > 0 ? 15.09 : 8.06, 0.5 * (mean > 0 ? 15 : 8) * sample + 0.1) << f << " to " << t;
        }
}

// A second's part of both, without their beginnings.
TEST_P(Microcircuit, FiresAsAPlainProgramDoes) {
    const std::int64_t begin = 2000, end = thorough() ? 52000 : 6000;
    reference::Microcircuit plain(sizes_, 1);
    Counts spikes{}, expected{};
    std::vector<std::int64_t> last(population_.size(), -1);
    std::vector<std::vector<double>> intervals(population_.size());
    for (std::int64_t k = 0; k < end; ++k) {
        world_.step_to(static_cast<std::uint64_t>(k + 1));
        const auto now = plain.step();
        if (k < begin) continue;
        const auto fired = world_.values<std::uint8_t>("neuron", "fired");
        for (std::size_t p = 0; p < populations; ++p) expected[p] += now[p];
        for (std::size_t i = 0; i < fired.size(); ++i) {
            if (fired[i] == 0) continue;
            ++spikes[population_[i]];
            if (last[i] >= 0) intervals[i].push_back(static_cast<double>(k - last[i]));
            last[i] = k;
        }
    }
    for (std::size_t p = 0; p < populations; ++p) {
        const auto seen = static_cast<double>(spikes[p]), wanted = static_cast<double>(expected[p]);
        EXPECT_NEAR(seen, wanted, (thorough() ? 0.05 : 0.1) * wanted + 3 * std::sqrt(2 * wanted)) << "population " << p;
    }
    if (!thorough()) return;
    // Irregular: intervals vary by 0.7 to 1.1 of their mean (those of who fired often, whose sample says so).
    std::array<std::vector<double>, populations> variation;
    for (std::size_t i = 0; i < intervals.size(); ++i) {
        const auto& all = intervals[i];
        if (all.size() < 12) continue;
        const double mean = std::accumulate(all.begin(), all.end(), 0.0) / static_cast<double>(all.size());
        double squares = 0;
        for (const auto each : all) squares += (each - mean) * (each - mean);
        variation[population_[i]].push_back(std::sqrt(squares / static_cast<double>(all.size() - 1)) / mean);
    }
    for (std::size_t p = 0; p < populations; ++p) {
        if (variation[p].size() < 20) continue;
        const double mean = std::accumulate(variation[p].begin(), variation[p].end(), 0.0) / static_cast<double>(variation[p].size());
        EXPECT_GT(mean, 0.7) << p;
        EXPECT_LT(mean, 1.1) << p;
    }
}

TESSERA_ON_EVERY_DEVICE(Microcircuit);

// As many events as are expected, and with that variance, also where they are hundreds (S. D. Poisson, 1837).
TEST(MicrocircuitNoise, IsOfPoissonHoweverMuchIsExpected) {
    WorldUnderTest world(plugin("microcircuit"), {"params.noise=1000", "places.neuron.count=77169",
                                                  "links.synapse={generate={rule=\"random\",links=1},init.weight=0}"});
    world.step_to(1);
    const auto current = world.values<float>("neuron", "current");
    const auto population = world.values<std::uint8_t>("neuron", "population");
    struct Of {
        double count = 0, sum = 0, squares = 0;
    };
    std::array<Of, populations> all{};
    for (std::size_t i = 0; i < current.size(); ++i) {
        const double events = std::round(current[i] / 87.81); // none came along synapses
        auto& of = all.at(population[i]);
        of.count += 1, of.sum += events, of.squares += events * events;
    }
    for (std::size_t p = 0; p < populations; ++p) {
        const auto& [count, sum, squares] = all[p];
        const double expected = Column::inputs[p] * 1000 * 1e-4, mean = sum / count; // 150 to 290 in 0.1 ms
        EXPECT_NEAR(mean, expected, 5 * std::sqrt(expected / count)) << p;
        EXPECT_NEAR(squares / count - mean * mean, expected, 5 * std::sqrt((2 * expected * expected + expected) / count)) << p;
    }
}

} // namespace
} // namespace tessera::test::microcircuit_test
