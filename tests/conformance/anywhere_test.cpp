// Agents that go anywhere on their grid, and phases that are repeated, against plain sequential programs: agent by agent.
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::test::anywhere_test {
namespace {

using reference::Offset;

// ---- the model of tests

struct Nomad : reference::Agent {
    std::int32_t luck = 0;
    std::uint32_t trips = 0;
    float bag[2] = {1, 2};
};

// tests/models/nomads, written as loops.
struct Nomads {
    Shape shape;
    std::uint64_t seed = 1;
    int capacity = 2;
    bool by_id = false;
    std::vector<std::int32_t> visitors{};
    std::vector<Nomad> all{};
    reference::Tally tally{};

    // The way from a place to one with these coordinates.
    [[nodiscard]] Offset way(std::size_t from, std::int64_t x, std::int64_t y, std::int64_t z) const {
        const auto here = static_cast<std::int64_t>(from);
        return {x - here % shape.nx, y - here / shape.nx % shape.ny, z - here / (shape.nx * shape.ny)};
    }
    [[nodiscard]] auto priority(std::uint64_t nth, std::uint64_t k) const {
        return [drawn = drawn_priority(seed, "nomad", nth, k), by_id = by_id](std::uint64_t id) { return by_id ? id : drawn(id); };
    }
    void step(std::uint64_t k) {
        const auto key = key_of(seed, "nomad.roam", 0);
        std::vector<reference::Wanted<Nomad>> children;
        for (auto& one : all) {
            Stream random(key, one.id, k);
            one.trips += one.moved ? 1 : 0;
            one.luck = static_cast<std::int32_t>(random.below(100));
            const auto x = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape.nx + 2) / 3));
            const auto y = static_cast<std::int64_t>(random.below(3));
            if (one.luck < 60) one.move_request = way(one.place, x, y, 0);
            if (one.luck >= 50 && one.luck < 70) one.move_request = Offset{y - 1, 1};
            if (one.luck >= 70 && one.luck < 75) one.move_request = way(one.place, -1 - x, y, 0);
            if (one.move_request && reference::place_at(shape, one.place, *one.move_request) == one.place) one.move_request.reset();
            Nomad child, copy;
            copy.luck = one.luck;
            if (one.luck >= 85 && one.luck < 90) {
                one.bag[1] += 1;
                children.push_back({1, one.id, 0, reference::place_at(shape, one.place, {1}), copy});
            }
            if (one.luck >= 90 && one.luck < 94) children.push_back({1, one.id, 0, one.place, child});
            one.dying = one.luck > 94;
            if (one.dying) one.move_request.reset();
        }
        reference::manage(all, shape, capacity, priority(0, k), tally);
        reference::spawn(all, children, shape, capacity, priority(0, k), k + 1, tally);
        for (std::uint64_t round = 0; round < 3; ++round) {
            const auto aside = key_of(seed, "nomad.step_aside", round);
            for (auto& one : all) {
                Stream random(aside, one.id, k);
                if (!one.refused) continue;
                const auto dy = static_cast<std::int64_t>(random.below(3)) - 1;
                if (dy != 0) one.move_request = Offset{0, dy};
            }
            reference::manage(all, shape, capacity, priority(round + 1, k), tally);
        }
        const auto there = reference::residents(all, shape);
        for (std::size_t p = 0; p < there.size(); ++p) visitors[p] += there[p];
    }
};

class Anywhere : public OnDevice {
protected:
    static void compare(Nomads nomads, int dimensions, int count, std::uint64_t steps, const std::string& capacity) {
        const auto keys = geometry("land", nomads.shape, dimensions) +
                          std::vector{fmt::format("run.seed={}", nomads.seed),
                                      fmt::format("agents.nomad={{count={},capacity={},priority=\"{}\",on_edge=\"refuse\",reserve=20000}}",
                                                  count, capacity, nomads.by_id ? "id" : "random")};
        auto given = keys;
        if (capacity != "\"unlimited\"") given.back().erase(given.back().find(",reserve"), std::string(",reserve=20000").size());
        WorldUnderTest world(test_model("nomads"), given, on_this());
        nomads.visitors.assign(nomads.shape.count(), 0);
        nomads.all = agents_of<Nomad>(world, "nomad");
        ASSERT_EQ(nomads.all.size(), static_cast<std::size_t>(count));
        for (std::uint64_t k = 0; k < steps; ++k) {
            nomads.step(k);
            if (k > 2 && k % 9 != 5 && k + 1 < steps) continue;
            world.step_to(k + 1);
            expect_agents(world, "nomad", nomads.all, member("luck", &Nomad::luck), member("trips", &Nomad::trips),
                          member("bag", &Nomad::bag));
            expect_same(world.values<std::int32_t>("land", "visitors"), nomads.visitors, nomads.shape, "visitors");
            expect_counted(world.counters("nomad"), nomads.tally);
            if (HasFailure()) FAIL() << "after step " << k;
        }
        EXPECT_GT(nomads.tally.moved, 1000u);
        EXPECT_GT(nomads.tally.born, 0u);
        if (nomads.capacity <= 8) {
            EXPECT_GT(nomads.tally.refused, 100u);
        }
    }
};

TEST_P(Anywhere, AgentsGoAsThoseOfAPlainProgram) { compare({reference::plane(41, 29, Boundary::torus), 1, 2}, 2, 500, 200, "2"); }
TEST_P(Anywhere, OneOfThemGoesWhereThereIsRoomForOne) { compare({reference::plane(23, 31, Boundary::torus), 2, 1}, 2, 400, 60, "1"); }
TEST_P(Anywhere, TheLowerIdsGoFirst) { compare({reference::plane(37, 17, Boundary::open), 3, 8, true}, 2, 900, 60, "8"); }
TEST_P(Anywhere, AgentsGoInThreeDimensions) { compare({reference::block(7, 6, 5, Boundary::reflect), 4, 3}, 3, 200, 60, "3"); }
TEST_P(Anywhere, AllGoWherePlacesHaveRoomForAnyNumber) {
    compare({reference::plane(41, 29, Boundary::torus), 5, 1 << 30}, 2, 500, 60, "\"unlimited\"");
}
// Three of very many places have hundreds each.
TEST_P(Anywhere, AllGoToAFewPlaces) { compare({reference::plane(3, 6000, Boundary::torus), 6, 1 << 30}, 2, 2000, 12, "\"unlimited\""); }

TESSERA_ON_EVERY_DEVICE(Anywhere);

// ---- segregation

struct Person : reference::Agent {
    std::uint8_t kind = 0;
    std::uint8_t content = 1;
    float alike = 1;
};

// plugins/schelling, written as a loop.
void step(std::vector<Person>& people, const Shape& shape, std::uint64_t seed, std::uint64_t k, reference::Tally& tally) {
    std::vector<int> kinds(shape.count(), -1);
    for (const auto& person : people) kinds[person.place] = person.kind;
    for (auto& person : people) {
        int alike = 0, all = 0;
        for (std::int64_t dy = -1; dy <= 1; ++dy)
            for (std::int64_t dx = -1; dx <= 1; ++dx) {
                const auto at = reference::place_at(shape, person.place, {dx, dy});
                if ((dx == 0 && dy == 0) || !at || kinds[*at] < 0) continue;
                ++all;
                alike += kinds[*at] == person.kind ? 1 : 0;
            }
        person.alike = all > 0 ? static_cast<float>(alike) / static_cast<float>(all) : 1;
        person.content = person.alike >= 0.375f ? 1 : 0;
    }
    for (std::uint64_t round = 0; round < 20; ++round) {
        const auto key = key_of(seed, "person.draw", round);
        for (auto& person : people) {
            Stream random(key, person.id, k);
            const auto x = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape.nx)));
            const auto y = static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(shape.ny)));
            const auto here = static_cast<std::int64_t>(person.place);
            const Offset way{x - here % shape.nx, y - here / shape.nx};
            if (person.content == 0 && (way.x != 0 || way.y != 0)) person.move_request = way;
        }
        reference::manage(people, shape, 1, drawn_priority(seed, "person", round, k), tally);
        for (auto& person : people) person.content |= person.moved ? 1 : 0;
    }
}

class Schelling : public OnDevice {};

TEST_P(Schelling, IsThatOfAPlainProgram) {
    const auto shape = reference::plane(43, 37, Boundary::torus);
    WorldUnderTest world(plugin("schelling"), geometry("home", shape) + std::vector<std::string>{"run.seed=3", "agents.person.count=1270"},
                         on_this());
    auto people = agents_of<Person>(world, "person");
    take_member(people, &Person::kind, world, "person", "kind");
    reference::Tally tally;
    for (std::uint64_t k = 0; k < 200; ++k) {
        step(people, shape, 3, k, tally);
        if (k > 5 && k % 40 != 39) continue;
        world.step_to(k + 1);
        expect_agents(world, "person", people, member("kind", &Person::kind), member("content", &Person::content),
                      member("alike", &Person::alike));
        expect_counted(world.counters("person"), tally);
        if (HasFailure()) FAIL() << "after step " << k;
    }
}

TESSERA_ON_EVERY_DEVICE(Schelling);

// From neighbours of whom half are alike come neighbourhoods of which far more are, and everybody is content in the end.
TEST(SchellingInTime, Segregates) {
    for (int seed = 1; seed <= 5; ++seed) {
        WorldUnderTest world(plugin("schelling"), {"run.seed=" + std::to_string(seed)}, {"cpu", usable_threads(), {}});
        const auto alike = [&](std::uint64_t step) {
            world.step_to(step);
            const auto shares = world.agent_values<float>("person", "alike");
            double sum = 0;
            for (const float share : shares) sum += static_cast<double>(share);
            return sum / static_cast<double>(shares.size());
        };
        EXPECT_NEAR(alike(1), 0.5, 0.02) << seed;
        EXPECT_GT(alike(50), 0.7) << seed;
        const auto content = world.agent_values<std::uint8_t>("person", "content");
        EXPECT_EQ(std::count(content.begin(), content.end(), 1), 8000) << seed;
    }
}

} // namespace
} // namespace tessera::test::anywhere_test
