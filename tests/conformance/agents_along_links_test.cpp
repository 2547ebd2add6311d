// Agents that see, meet and go where links lead, on places that have numbers alone and on grids, against plain programs, agent by agent.
// optimise: yes
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

namespace tessera::test::agents_along_links_test {
namespace {

// A link as one of its places sees it.
struct Way {
    std::size_t to = 0;
    std::size_t link = 0;
};
using Ways = std::vector<std::vector<Way>>; // of each place, in the order of the numbers of the others

Ways ways_of(const WorldUnderTest& world, const std::string& links, std::size_t places, bool both) {
    const auto& setup = world.setup();
    const auto first = setup.column_of(require_collection(setup, links, {}), Role::link_end);
    const auto from = world.simulation().read(first), to = world.simulation().read(ColumnId(first.index() + 1));
    Ways ways(places);
    for (std::size_t i = 0; i < static_cast<std::size_t>(from.places()); ++i) {
        const auto a = static_cast<std::size_t>(from.data<std::int32_t>()[i]), b = static_cast<std::size_t>(to.data<std::int32_t>()[i]);
        ways[a].push_back({b, i});
        if (both && a != b) ways[b].push_back({a, i});
    }
    for (auto& each : ways) std::stable_sort(each.begin(), each.end(), [](const Way& a, const Way& b) { return a.to < b.to; });
    return ways;
}

// Places that have numbers alone stand in rows of 1024, as ids have them.
Shape shape_of(std::size_t places) {
    return reference::plane(1024, static_cast<std::int64_t>((places + 1023) / 1024), reference::Boundary::torus);
}
reference::Offset offset(const Shape& shape, std::size_t from, std::size_t to) {
    const auto a = static_cast<std::int64_t>(from), b = static_cast<std::int64_t>(to);
    return {b % shape.nx - a % shape.nx, b / shape.nx - a / shape.nx};
}

class AgentsAlongLinks : public OnDevice {
protected:
    // As a run of one CPU has them, in a list in the order of ids; or as others have, in slots or a list in the order of places.
    [[nodiscard]] static std::vector<Options> storages() {
        auto options = on_this(), other = on_this();
        other.for_any_devices = true;
        return on_cpu() ? std::vector<Options>{options, other} : std::vector<Options>{options};
    }
};

// ---- traffic

struct Car : reference::Agent {
    std::uint16_t left = 0;
    std::uint32_t trips = 0;
};

// plugins/traffic, written as loops.
struct Traffic {
    std::uint64_t seed = 1;
    int capacity = 4;
    bool by_id = false;
    float looking = 0.5f;
    Shape shape{};
    Ways roads{};
    std::vector<std::uint16_t> length{};
    std::vector<std::uint32_t> waits{};
    std::vector<Car> cars{};
    reference::Tally tally{};

    void drive(Car& car, const std::vector<int>& there, std::uint64_t key, std::uint64_t k) {
        Stream random(key, car.id, k);
        car.trips += car.moved ? 1 : 0;
        if (car.refused) car.left = 0;
        if (car.left > 0) return void(--car.left);
        int room = 0;
        const auto free = [&](const Way& way) { return capacity > 8 ? 0x7fffffff : capacity - there[way.to]; };
        const auto take = [&](const Way& way) {
            if (free(way) <= room) return;
            room = free(way);
            car.left = length[way.link];
            car.move_request = offset(shape, car.place, way.to);
        };
        const auto& ways = roads[car.place];
        if (random.uniform() < looking)
            std::for_each(ways.begin(), ways.end(), take);
        else if (!ways.empty())
            take(ways[random.below(ways.size())]);
        waits[car.place] += room == 0 ? 1 : 0;
    }
    void step(std::uint64_t k) {
        const auto key = key_of(seed, "car.drive", 0);
        const auto there = reference::residents(cars, shape);
        for (auto& car : cars) drive(car, there, key, k);
        const auto drawn = drawn_priority(seed, "car", 0, k);
        reference::manage(
            cars, shape, capacity, [&](std::uint64_t id) { return by_id ? id : drawn(id); }, tally);
    }
};

class TrafficOnRoads : public AgentsAlongLinks {
protected:
    static void compare(Traffic traffic, std::size_t places, const std::string& rule, int count, const std::string& capacity) {
        for (const auto& options : storages()) {
            auto plain = traffic;
            WorldUnderTest world(
                plugin("traffic"),
                {fmt::format("run.seed={}", plain.seed), fmt::format("places.crossing.count={}", places), "links.road.generate=" + rule,
                 fmt::format("params.looking={}", plain.looking),
                 fmt::format("agents.car={{count={}, capacity={}, priority=\"{}\"}}", count, capacity, plain.by_id ? "id" : "random")},
                options);
            plain.shape = shape_of(places);
            plain.roads = ways_of(world, "road", places, false);
            plain.length = world.values<std::uint16_t>("road", "length");
            plain.waits.assign(places, 0);
            plain.cars = agents_of<Car>(world, "car");
            ASSERT_EQ(plain.cars.size(), static_cast<std::size_t>(count));
            for (std::uint64_t k = 0; k < 60; ++k) {
                plain.step(k);
                if (k > 3 && k % 20 != 19) continue;
                world.step_to(k + 1);
                expect_agents(world, "car", plain.cars, member("left", &Car::left), member("trips", &Car::trips));
                EXPECT_EQ(world.values<std::uint32_t>("crossing", "waits"), plain.waits);
                expect_counted(world.counters("car"), plain.tally);
                if (HasFailure()) FAIL() << "after step " << k;
            }
            EXPECT_GT(plain.tally.moved, 1000u);
            EXPECT_EQ(plain.tally.refused > 0, plain.capacity <= 8);
        }
    }
};

constexpr auto town = "{rule=\"grid\", size=[40, 30]}";

TEST_P(TrafficOnRoads, IsThatOfAPlainProgram) { compare({1, 4}, 1200, town, 3000, "4"); }
TEST_P(TrafficOnRoads, HasCrossingsWithRoomForOne) { compare({2, 1, true}, 1200, town, 700, "1"); }
TEST_P(TrafficOnRoads, HasRoadsThatEndNowhere) { compare({3, 2, false, 0.25f}, 2500, "{rule=\"random\", links=4000}", 1500, "2"); }
TEST_P(TrafficOnRoads, HasRoomForAnyNumber) { compare({4, 1 << 30}, 300, "{rule=\"regular\", degree=3}", 2000, "\"unlimited\""); }

TESSERA_ON_EVERY_DEVICE(TrafficOnRoads);

// More cars make more trips, and at last fewer. With hardly any room left nobody goes anywhere.
TEST(TrafficInTime, JamsWhereThereAreTooManyCars) {
    const auto trips = [](int cars) {
        WorldUnderTest world(plugin("traffic"), {"run.seed=5", fmt::format("agents.car.count={}", cars)}, {"cpu", usable_threads(), {}});
        world.step_to(300);
        const auto of_each = world.agent_values<std::uint32_t>("car", "trips");
        return std::accumulate(of_each.begin(), of_each.end(), std::uint64_t{0});
    };
    const auto few = trips(200), many = trips(1200), too_many = trips(2300);
    EXPECT_GT(many, 3 * few);
    EXPECT_LT(too_many, many / 2);
    EXPECT_EQ(trips(2400), 0u);
}

// ---- walkers

// On a network without directions random walkers stand in proportion to the degree of the place: the statistic of Pearson's test of that
// has as many degrees of freedom as there are places but one, a mean of these, and a variance of twice as many.
TEST_P(AgentsAlongLinks, WalkersStandInProportionToTheDegree) {
    constexpr std::size_t places = 200, walkers = 20000;
    for (const auto& options : storages()) {
        WorldUnderTest world(test_model("strollers"), {"run.seed=7"}, options);
        const auto ways = ways_of(world, "path", places, true);
        world.step_to(150);
        std::vector<double> there(places, 0);
        for (const auto place : world.agents("stroller").places) there[static_cast<std::size_t>(place)] += 1;
        double ends = 0, statistic = 0;
        for (const auto& each : ways) ends += static_cast<double>(each.size());
        for (std::size_t p = 0; p < places; ++p) {
            const auto expected = walkers * static_cast<double>(ways[p].size()) / ends;
            statistic += (there[p] - expected) * (there[p] - expected) / expected;
        }
        EXPECT_NEAR(statistic, places - 1, 5 * std::sqrt(2.0 * (places - 1)));
    }
}

// ---- all that they can do

struct Runner : reference::Agent {
    std::int32_t purse = 5, crowd = 0, trips = 0;
    std::int64_t heard = 0;
};

// tests/models/errands, written as loops.
struct Errands {
    std::uint64_t seed = 1;
    int capacity = 2;
    Shape shape{};
    Ways paths{}, lifts{};
    std::vector<std::int16_t> toll{};
    std::vector<std::int8_t> up{};
    std::vector<std::int32_t> seen{}, guests{};
    std::vector<Runner> all{};
    reference::Tally tally{};
    std::vector<reference::Wanted<Runner>> children{};

    void run(Runner& one, const Errands& before, const std::vector<int>& there, std::uint64_t k) {
        Stream random(key_of(seed, "runner.run", 0), one.id, k);
        const auto &known = paths[one.place], &up_from_here = lifts[one.place];
        one.trips += one.moved ? 1 : 0;
        one.crowd = 100 * there[one.place] + 10000 * static_cast<std::int32_t>(known.size());
        std::int32_t sum = 0, least = 9;
        for (const auto& way : known) {
            one.crowd += there[way.to];
            sum += before.seen[way.to];
            least = std::min<std::int32_t>(least, toll[way.link]);
        }
        one.heard = before.guests[one.place];
        for (const auto& way : up_from_here)
            for (const auto& other : before.all) // in the order of ids
                if (other.place == way.to && other.id != one.id) one.heard = one.heard * 3 + other.purse;
        one.purse += sum % 7 + least;
        seen[one.place] += 1 + static_cast<std::int32_t>(one.place % 3);
        if (random.below(3) == 0) {
            if (!up_from_here.empty()) {
                const auto& way = up_from_here[random.below(up_from_here.size())];
                one.purse -= up[lift_count() + way.link];
                one.move_request = offset(shape, one.place, way.to);
            }
        } else {
            auto fewest = static_cast<int>(random.below(3));
            for (const auto& way : known) {
                if (there[way.to] >= capacity || there[way.to] > fewest) continue;
                fewest = there[way.to];
                one.move_request = offset(shape, one.place, way.to);
            }
        }
        if (one.purse % 17 == 0) {
            Runner child;
            child.purse = one.purse / 17;
            child.trips = 1;
            children.push_back({1, one.id, 0, one.place, child});
        }
        one.dying = one.purse % 19 == 0;
        if (one.dying) one.move_request.reset();
    }
    [[nodiscard]] std::size_t lift_count() const { return up.size() / 2; } // an array's elements are planes

    void step(std::uint64_t k) {
        std::sort(all.begin(), all.end(), [](const Runner& a, const Runner& b) { return a.id < b.id; });
        const auto before = *this;
        const auto there = reference::residents(all, shape);
        for (auto& one : all) run(one, before, there, k);
        const auto priority = drawn_priority(seed, "runner", 0, k);
        reference::manage(all, shape, capacity, priority, tally);
        reference::spawn(all, children, shape, capacity, priority, k + 1, tally);
        const auto now = reference::residents(all, shape);
        for (std::size_t p = 0; p < seen.size(); ++p) seen[p] /= 2, guests[p] = now[p];
    }
};

class Runners : public AgentsAlongLinks {
protected:
    // `on` is what the places are, and `shape` how they stand.
    static void compare(const Errands& errands, const std::string& on, const Shape& shape, std::size_t places,
                        const std::string& capacity) {
        for (const auto& options : storages()) {
            auto plain = errands;
            WorldUnderTest world(test_model("errands"),
                                 {fmt::format("run.seed={}", plain.seed), "places.spot=" + on,
                                  "links.path.init.toll={random=\"below\", n=12}", "links.lift.init.up={random=\"below\", n=5}",
                                  fmt::format("agents.runner={{count=500, capacity={}}}", capacity)},
                                 options);
            plain.shape = shape;
            plain.paths = ways_of(world, "path", places, true);
            plain.lifts = ways_of(world, "lift", places, false);
            plain.toll = world.values<std::int16_t>("path", "toll");
            plain.up = world.values<std::int8_t>("lift", "up");
            plain.seen.assign(places, 0);
            plain.guests.assign(places, 1);
            plain.all = agents_of<Runner>(world, "runner");
            for (std::uint64_t k = 0; k < 40; ++k) {
                plain.step(k);
                if (k > 4 && k % 10 != 9) continue;
                world.step_to(k + 1);
                expect_agents(world, "runner", plain.all, member("purse", &Runner::purse), member("crowd", &Runner::crowd),
                              member("trips", &Runner::trips), member("heard", &Runner::heard));
                EXPECT_EQ(world.values<std::int32_t>("spot", "seen"), plain.seen);
                EXPECT_EQ(world.values<std::int32_t>("spot", "guests"), plain.guests);
                expect_counted(world.counters("runner"), plain.tally);
                if (HasFailure()) FAIL() << "after step " << k;
            }
            EXPECT_GT(plain.tally.moved, 1000u);
            EXPECT_GT(plain.tally.born, 50u);
            EXPECT_GT(plain.tally.died, 50u);
        }
    }
};

TEST_P(Runners, AreThoseOfAPlainProgram) { compare({1, 2}, "{count=1100}", shape_of(1100), 1100, "2"); }
TEST_P(Runners, AreAloneOnTheirPlace) { compare({2, 1}, "{count=1100}", shape_of(1100), 1100, "1"); }
TEST_P(Runners, AreAnyNumber) { compare({3, 1 << 30}, "{count=1100}", shape_of(1100), 1100, "\"unlimited\", reserve=20000"); }
TEST_P(Runners, GoAlongLinksOfAGrid) {
    const auto shape = reference::plane(41, 27, reference::Boundary::torus);
    compare({4, 3}, "{size=[41, 27], boundary=\"torus\"}", shape, 41 * 27, "3");
}

TESSERA_ON_EVERY_DEVICE(Runners);

// Nothing stands behind the last place of the last row.
TEST_P(AgentsAlongLinks, PlacesHaveFirstChildrenOnAllPlacesAndNoOthers) {
    constexpr std::size_t places = 1025;
    for (const auto& options : storages()) {
        WorldUnderTest world(test_model("errands"),
                             {"params.settlers=1", fmt::format("places.spot={{count={}}}", places), "agents.runner={count=0, capacity=1}"},
                             options);
        auto stands_on = world.agents("runner").places;
        ASSERT_EQ(stands_on.size(), places);
        std::sort(stands_on.begin(), stands_on.end());
        for (std::size_t p = 0; p < places; ++p) ASSERT_EQ(stands_on[p], static_cast<std::int64_t>(p));
    }
}

TESSERA_ON_EVERY_DEVICE(AgentsAlongLinks);

} // namespace
} // namespace tessera::test::agents_along_links_test
