// Granulomas against a plain sequential program: place by place, macrophage by macrophage and T cell by T cell.
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

namespace tessera::test::tuberculosis_test {
namespace {

using reference::Offset;

struct Eater : reference::Agent {
    std::uint8_t state = 0; // resting, infected, chronic, activated
    float inside = 0, spill = 0;
    std::int32_t age = 0;
};
struct Helper : reference::Agent {
    std::int32_t age = 0;
};

constexpr Offset beside[] = {{-1, -1}, {0, -1}, {1, -1}, {-1, 0}, {1, 0}, {-1, 1}, {0, 1}, {1, 1}};

// plugins/tuberculosis, written as loops.
struct Lung {
    Shape shape;
    std::uint64_t seed = 1, t_first = 4;
    float t_enters = 0.3f;
    std::vector<float> chemokine{}, bacteria{};
    std::vector<std::uint8_t> deaths{}, vessel{};
    std::vector<Eater> eaters{};
    std::vector<Helper> helpers{};
    std::vector<reference::Wanted<Eater>> new_eaters{};
    std::vector<reference::Wanted<Helper>> new_helpers{};
    reference::Tally eaten{}, helped{};

    void step(std::uint64_t k) {
        for (int part = 0; part < 100; ++part) spread();
        walk(k);
        manage(k, 0);
        live(k);
        for (auto& helper : helpers) helper.dying = ++helper.age > 432;
        recruit(k);
        manage(k, 1);
    }

private:
    void spread() {
        const auto before = chemokine;
        for (std::size_t p = 0; p < before.size(); ++p) {
            float sum = 0;
            int sides = 0;
            for (const Offset way : {Offset{0, -1}, Offset{-1, 0}, Offset{1, 0}, Offset{0, 1}})
                if (const auto at = reference::place_at(shape, p, way)) sum += before[*at], ++sides;
            const float left = before[p] * 0.999f;
            chemokine[p] = sides == 4 ? left + 0.16f * (0.999f * sum - 4 * left) : left;
            bacteria[p] += 1.5e-5f * bacteria[p] * (1 - bacteria[p] / 200);
        }
    }
    template<class A, class May> void follow(A& one, Stream& stream, const std::vector<int>& taken, const May& may) {
        float sum = 0, sites = 0;
        for (const auto& way : beside)
            if (const auto at = reference::place_at(shape, one.place, way)) sum += chemokine[*at], sites += 1;
        const float mean = sum / sites;
        float total = 0;
        for (const auto& way : beside) {
            const auto at = reference::place_at(shape, one.place, way);
            if (!at || taken[*at] > 0 || deaths[*at] >= 8 || !may(*at)) continue;
            const float by = -15 * (chemokine[*at] - mean) / mean;
            const float weight = mean >= 1 ? 1 / (1 + static_cast<float>(std::exp(static_cast<double>(by)))) : 1;
            total += weight;
            if (stream.uniform() * total < weight) one.move_request = way;
        }
    }
    void walk(std::uint64_t k) {
        const auto eaters_on = reference::residents(eaters, shape), helpers_on = reference::residents(helpers, shape);
        for (auto& one : eaters) {
            Stream stream(key_of(seed, "macrophage.walk", 0), one.id, k);
            if (k % (one.state == 1 || one.state == 2 ? 100 : 10) == 0) follow(one, stream, eaters_on, [](std::size_t) { return true; });
        }
        for (auto& one : helpers) {
            Stream stream(key_of(seed, "t_cell.walk", 0), one.id, k);
            follow(one, stream, helpers_on, [&](std::size_t at) { return eaters_on[at] == 0 || stream.uniform() < t_enters; });
        }
    }
    static void die(Eater& one, float released) {
        one.spill = released / 9;
        one.dying = true;
    }
    void live(std::uint64_t k) {
        const auto helpers_on = reference::residents(helpers, shape);
        auto chemokine_after = chemokine;
        for (auto& one : eaters) {
            Stream stream(key_of(seed, "macrophage.live", 0), one.id, k);
            ++one.age;
            if (one.state != 0) chemokine_after[one.place] += 5000;
            (this->*std::array{&Lung::rest, &Lung::hide, &Lung::swell, &Lung::fight}[one.state])(one, stream, helpers_on);
        }
        chemokine = std::move(chemokine_after);
        std::vector<float> spilt(shape.count(), 0);
        for (const auto& one : eaters) spilt[one.place] += one.spill;
        for (std::size_t p = 0; p < bacteria.size(); ++p) {
            bacteria[p] += spilt[p];
            for (const auto& way : beside)
                if (const auto at = reference::place_at(shape, p, way)) bacteria[p] += spilt[*at];
        }
    }
    void rest(Eater& one, Stream& stream, const std::vector<int>&) {
        auto& food = bacteria[one.place];
        if (food <= 2)
            food = 0;
        else {
            food -= 2;
            if (stream.uniform() >= 0.0851f) one.inside = 2, one.state = 1;
        }
        one.dying = one.age > 14400;
    }
    void hide(Eater& one, Stream& stream, const std::vector<int>& helpers_on) {
        one.inside *= 1.0021022f;
        int near = helpers_on[one.place];
        for (const Offset way : {Offset{0, -1}, Offset{-1, 0}, Offset{1, 0}, Offset{0, 1}})
            if (const auto at = reference::place_at(shape, one.place, way)) near += helpers_on[*at];
        if (one.inside > 10)
            one.state = 2;
        else if (stream.uniform() < 0.06f * static_cast<float>(near))
            one.state = 3, one.age = 0;
        if (one.age > 14400) die(one, one.inside);
    }
    void swell(Eater& one, Stream& stream, const std::vector<int>& helpers_on) {
        one.inside += 2.1e-3f * one.inside * (1 - one.inside / 50);
        if (one.inside > 20 || one.age > 14400) {
            ++deaths[one.place];
            die(one, one.inside);
        } else if (helpers_on[one.place] > 0 && stream.uniform() < 0.0631f)
            die(one, one.inside / 2);
    }
    void fight(Eater& one, Stream&, const std::vector<int>&) {
        bacteria[one.place] = std::max(0.0f, bacteria[one.place] - 10);
        one.dying = one.age > 1440;
    }
    void recruit(std::uint64_t k) {
        const auto eaters_on = reference::residents(eaters, shape), helpers_on = reference::residents(helpers, shape);
        for (std::size_t p = 0; p < vessel.size(); ++p) {
            if (vessel[p] == 0 || chemokine[p] < 1 || deaths[p] >= 8) continue;
            Stream stream(key_of(seed, "tissue.recruit", 0), number_of(p, shape.nx), k);
            if (eaters_on[p] == 0 && stream.uniform() < 0.0211f) {
                Eater child;
                child.age = static_cast<std::int32_t>(stream.below(14400));
                new_eaters.push_back({0, 0, 0, p, child});
            }
            if (k >= t_first && helpers_on[p] == 0 && stream.uniform() < 0.32f) new_helpers.push_back({0, 0, 0, p, {}});
        }
    }
    void manage(std::uint64_t k, std::uint64_t nth) {
        const auto eaters_first = drawn_priority(seed, "macrophage", nth, k), helpers_first = drawn_priority(seed, "t_cell", nth, k);
        reference::manage(eaters, shape, 1, eaters_first, eaten);
        reference::manage(helpers, shape, 1, helpers_first, helped);
        if (nth == 0) return;
        reference::spawn(eaters, new_eaters, shape, 1, eaters_first, k + 1, eaten);
        reference::spawn(helpers, new_helpers, shape, 1, helpers_first, k + 1, helped);
    }
};

class Tuberculosis : public OnDevice {};

TEST_P(Tuberculosis, IsThatOfAPlainProgram) {
    Lung lung{reference::plane(44, 36, Boundary::open)};
    WorldUnderTest world(plugin("tuberculosis"),
                         geometry("tissue", lung.shape) +
                             std::vector<std::string>{"run.seed=1", "agents.macrophage.count=300", "params.t_enters=0.3",
                                                      "params.t_first=4", "agents.macrophage.init.state={random=\"below\",n=4}",
                                                      "agents.macrophage.init.inside={random=\"uniform\",low=0,high=22}"},
                         on_this());
    lung.chemokine.assign(lung.shape.count(), 0);
    lung.deaths.assign(lung.shape.count(), 0);
    lung.bacteria = world.values<float>("tissue", "bacteria");
    for (const auto byte : world.read("tissue", "vessel").bytes) lung.vessel.push_back(std::to_integer<std::uint8_t>(byte));
    lung.eaters = agents_of<Eater>(world, "macrophage");
    take_member(lung.eaters, &Eater::state, world, "macrophage", "state");
    take_member(lung.eaters, &Eater::inside, world, "macrophage", "inside");
    take_member(lung.eaters, &Eater::age, world, "macrophage", "age");
    lung.eaten = {0, 0, 0, world.counters("macrophage").born, world.counters("macrophage").refused_births};
    for (std::uint64_t k = 0; k < 60; ++k) {
        lung.step(k);
        if (k > 4 && k % 20 != 19) continue;
        world.step_to(k + 1);
        expect_agents(world, "macrophage", lung.eaters, member("state", &Eater::state), member("inside", &Eater::inside),
                      member("age", &Eater::age));
        expect_agents(world, "t_cell", lung.helpers, member("age", &Helper::age));
        expect_same(world.values<float>("tissue", "chemokine"), lung.chemokine, lung.shape, "chemokine");
        expect_same(world.values<float>("tissue", "bacteria"), lung.bacteria, lung.shape, "bacteria");
        expect_same(world.values<std::uint8_t>("tissue", "deaths"), lung.deaths, lung.shape, "deaths");
        expect_counted(world.counters("macrophage"), lung.eaten);
        expect_counted(world.counters("t_cell"), lung.helped);
        if (HasFailure()) FAIL() << "after step " << k;
    }
    EXPECT_GT(lung.eaten.died, 0u);
    EXPECT_GT(lung.helped.born, 50u);
    EXPECT_GT(lung.helped.refused, 0u);
}

// Bacteria alone: each place grows logistically, 1.5e-5 a hundredth of a step toward 200.
TEST_P(Tuberculosis, BacteriaAloneGrowLogistically) {
    WorldUnderTest world(plugin("tuberculosis"),
                         {"places.tissue.size=[20,20]", "agents.macrophage.count=0",
                          "phase=[{repeat={phases=[{exchangeAll=\"tissue\"},"
                          "{callAll=\"tissue.spread\"}],times=100}}]"},
                         on_this());
    world.step_to(360);
    const double rate = 1.5e-3 * 360, expected = 200 / (1 + (200.0 / 4 - 1) * std::exp(-rate));
    EXPECT_NEAR(world.values<float>("tissue", "bacteria")[9 * 20 + 9], expected, 0.01 * expected);
}

TESSERA_ON_EVERY_DEVICE(Tuberculosis);

} // namespace
} // namespace tessera::test::tuberculosis_test
