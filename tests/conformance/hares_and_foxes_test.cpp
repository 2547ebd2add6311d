// Agents that see, act, go and die, against a plain sequential program: agent by agent, after every step.
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <set>

namespace tessera::test::hares_and_foxes_test {
namespace {

using reference::Offset;

struct Hare : reference::Agent {
    std::int32_t energy = 0;
    float way[2] = {0, 1};
    std::uint16_t went = 0, stayed = 0;
};
struct Fox : reference::Agent {
    double hunger = 0;
    std::uint64_t met = 0;
    std::uint16_t ranks = 0;
};

// tests/models/hares_and_foxes, written as loops.
struct Wild {
    Shape shape;
    std::uint64_t seed = 1;
    int room_for_hares = 1, room_for_foxes = 2;
    bool by_id = false, tramples = false;
    int dimensions = 2;
    std::vector<std::uint16_t> grass{};
    std::vector<std::uint32_t> visits{};
    std::vector<Hare> hares{};
    std::vector<Fox> foxes{};
    reference::Tally of_hares{}, of_foxes{};

    void step(std::uint64_t k) {
        grow(k);
        look(k);
        leap(k);
        manage(k, 0);
        for (auto& hare : hares) hare.went += hare.moved, hare.stayed += hare.refused;
        graze();
        if (tramples)
            for (const auto& hare : hares) visits[hare.place] += 1, grass[hare.place] /= 2;
        hunt();
        manage(k, 1);
    }

private:
    void grow(std::uint64_t k) {
        const auto key = key_of(seed, "land.grow", 0);
        for (std::size_t i = 0; i < shape.count(); ++i) {
            Stream stream(key, number_of(i, shape.nx), k);
            if (grass[i] < 9 && stream.below(3) == 0) ++grass[i];
        }
    }
    // The lines along the axes, the nearest first: down from the last axis to the first, then up from the first to the last.
    [[nodiscard]] std::vector<Offset> lines(std::int64_t reach) const {
        std::vector<Offset> all;
        for (std::int64_t d = 1; d <= reach; ++d) {
            if (dimensions > 2) all.push_back({0, 0, -d});
            all.push_back({0, -d, 0}), all.push_back({-d, 0, 0}), all.push_back({d, 0, 0}), all.push_back({0, d, 0});
            if (dimensions > 2) all.push_back({0, 0, d});
        }
        return all;
    }
    void look(std::uint64_t k) {
        const auto key = key_of(seed, "hare.look", 0);
        const auto there_are_hares = reference::residents(hares, shape), there_are_foxes = reference::residents(foxes, shape);
        for (auto& hare : hares) {
            Stream stream(key, hare.id, k);
            Offset best;
            int best_grass = grass[hare.place], equal = 1;
            for (const auto& offset : lines(3)) {
                const auto distance = std::abs(offset.x) + std::abs(offset.y) + std::abs(offset.z);
                const auto there = reference::place_at(shape, hare.place, offset);
                if (distance > hare.energy / 4 || !there || there_are_hares[*there] >= room_for_hares || there_are_foxes[*there] > 0)
                    continue;
                if (grass[*there] < best_grass) continue;
                equal = grass[*there] == best_grass ? equal + 1 : 1;
                if (equal == 1 || stream.below(static_cast<std::uint64_t>(equal)) == 0) best = offset, best_grass = grass[*there];
            }
            if (best.x != 0 || best.y != 0 || best.z != 0) hare.move_request = best;
        }
    }
    void leap(std::uint64_t k) {
        const auto key = key_of(seed, "fox.leap", 0);
        for (auto& fox : foxes) {
            const Offset move_requests[] = {{2, 1, 0}, {-1, 3, 0}, {0, -2, 0}};
            const auto way = Stream(key, fox.id, k).below(6);
            if (way < 3)
                fox.move_request = move_requests[way];
            else if (way > 3)
                fox.move_request = Offset{-1, 0, 0};
            fox.hunger += 1;
        }
    }
    void graze() {
        const auto there_are_hares = reference::residents(hares, shape), there_are_foxes = reference::residents(foxes, shape);
        const auto ranks = reference::ranks_of(hares);
        for (std::size_t i = 0; i < hares.size(); ++i) {
            auto& hare = hares[i];
            const auto at = static_cast<std::int64_t>(hare.place);
            hare.energy += grass[hare.place] / there_are_hares[hare.place] - 3;
            hare.way[0] = hare.way[0] / 2 + static_cast<float>(at % shape.nx);
            hare.way[1] = hare.way[1] * 0.75f + static_cast<float>(at / shape.nx % shape.ny + at / (shape.nx * shape.ny));
            hare.dying = hare.energy <= 0 || ranks[i] < there_are_foxes[hare.place];
        }
    }
    void hunt() {
        const auto there_are_hares = reference::residents(hares, shape);
        const auto ranks = reference::ranks_of(foxes);
        for (auto& fox : foxes) {
            int around = 0;
            for (std::int64_t z = dimensions > 2 ? -1 : 0; z <= (dimensions > 2 ? 1 : 0); ++z)
                for (std::int64_t y = -1; y <= 1; ++y)
                    for (std::int64_t x = -1; x <= 1; ++x)
                        if (const auto there = reference::place_at(shape, fox.place, {x, y, z}); there && (x != 0 || y != 0 || z != 0))
                            around += there_are_hares[*there];
            fox.met += static_cast<std::uint64_t>(around);
            fox.ranks += static_cast<std::uint16_t>(ranks[static_cast<std::size_t>(&fox - foxes.data())]);
            if (around > 0) fox.hunger /= 2;
            fox.dying = fox.hunger > 40;
        }
    }
    void manage(std::uint64_t k, std::uint64_t nth) {
        const auto priority = [&](const std::string& name) {
            return [this, drawn = drawn_priority(seed, name, nth, k)](std::uint64_t id) { return by_id ? id : drawn(id); };
        };
        reference::manage(hares, shape, room_for_hares, priority("hare"), of_hares);
        reference::manage(foxes, shape, room_for_foxes, priority("fox"), of_foxes);
    }
};

class HaresAndFoxes : public OnDevice {
protected:
    static std::vector<std::string> keys(const Wild& wild, int hares, int foxes) {
        auto keys = geometry("land", wild.shape, wild.dimensions);
        const char* const priority = wild.by_id ? "id" : "random";
        keys.push_back(fmt::format("run.seed={}", wild.seed));
        keys.push_back(
            fmt::format("agents.hare={{count={},capacity={},priority=\"{}\",on_edge=\"refuse\",init={{energy={{random=\"below\",n=12,"
                        "plus=6}}}}}}",
                        hares, wild.room_for_hares, priority));
        keys.push_back(
            fmt::format("agents.fox={{count={},capacity={},priority=\"{}\",on_edge=\"refuse\",init={{hunger={{random=\"uniform\",low=0,"
                        "high=20}}}}}}",
                        foxes, wild.room_for_foxes, priority));
        if (wild.tramples)
            keys.push_back(
                "phase=[{callAll=\"land.grow\"},{callAll=\"hare.look\"},{callAll=\"fox.leap\"},{manageAll=[\"hare\",\"fox\"]},"
                "{callAll=\"hare.note\"},{callAll=\"hare.graze\"},{callAll=\"hare.trample\"},{callAll=\"fox.hunt\"},{manageAll=\"*\"}]");
        return keys;
    }

    static void start(Wild& wild, const WorldUnderTest& world) {
        wild.grass = world.values<std::uint16_t>("land", "grass");
        wild.visits = world.values<std::uint32_t>("land", "visits");
        wild.hares = agents_of<Hare>(world, "hare");
        wild.foxes = agents_of<Fox>(world, "fox");
        take_member(wild.hares, &Hare::energy, world, "hare", "energy");
        take_member(wild.foxes, &Fox::hunger, world, "fox", "hunger");
    }

    static void expect(const WorldUnderTest& world, const Wild& wild) {
        expect_same(world.values<std::uint16_t>("land", "grass"), wild.grass, wild.shape, "grass");
        expect_same(world.values<std::uint32_t>("land", "visits"), wild.visits, wild.shape, "visits");
        expect_agents(world, "hare", wild.hares, member("energy", &Hare::energy), member("way", &Hare::way), member("went", &Hare::went),
                      member("stayed", &Hare::stayed));
        expect_agents(world, "fox", wild.foxes, member("hunger", &Fox::hunger), member("met", &Fox::met), member("ranks", &Fox::ranks));
        expect_counted(world.counters("hare"), wild.of_hares);
        expect_counted(world.counters("fox"), wild.of_foxes);
    }

    static void compare(Wild wild, int hares, int foxes, std::uint64_t steps, const Options& options) {
        WorldUnderTest world(test_model("hares_and_foxes"), keys(wild, hares, foxes), options);
        start(wild, world);
        ASSERT_EQ(wild.hares.size(), static_cast<std::size_t>(hares));
        for (std::uint64_t k = 0; k < steps; ++k) {
            wild.step(k);
            if (k % 7 == 3 || k + 1 == steps) {
                world.step_to(k + 1);
                expect(world, wild);
                if (HasFatalFailure()) FAIL() << "after step " << k;
            }
        }
        EXPECT_GT(wild.of_hares.moved, 0u);
        EXPECT_GT(wild.of_hares.refused, 0u);
        EXPECT_GT(wild.of_hares.died, 0u);
    }
};

TEST_P(HaresAndFoxes, AreThoseOfAPlainProgram) { compare({reference::plane(61, 47, Boundary::torus)}, 1300, 120, 200, on_this()); }

TEST_P(HaresAndFoxes, FindRoomForSeveralOnAPlace) {
    Wild wild{reference::plane(37, 41, Boundary::torus), 5};
    wild.room_for_hares = 3;
    wild.room_for_foxes = 8;
    compare(wild, 2500, 300, 60, on_this());
}

TEST_P(HaresAndFoxes, AreServedByTheirIdsWhereTheRunFileSaysSo) {
    Wild wild{reference::plane(50, 23, Boundary::torus), 2};
    wild.by_id = wild.tramples = true;
    compare(wild, 500, 80, 60, on_this());
}

TEST_P(HaresAndFoxes, DoNotLeaveAGridThatIsNoTorus) {
    for (const auto boundary : {Boundary::open, Boundary::fixed, Boundary::reflect}) {
        Wild wild{reference::plane(29, 31, boundary), 3};
        wild.shape.x = boundary == Boundary::open ? Boundary::torus : boundary;
        wild.tramples = true;
        compare(wild, 400, 60, 40, on_this());
    }
}

TEST_P(HaresAndFoxes, LiveInThreeDimensions) {
    Wild wild{reference::block(17, 11, 13, Boundary::torus), 4};
    wild.shape.z = Boundary::open;
    wild.dimensions = 3;
    compare(wild, 1200, 100, 40, on_this());
}

// Rows that are longer than a block's places, and fewer than a line of memory.
TEST_P(HaresAndFoxes, LiveInGridsOfAnyWidth) {
    for (const auto& shape : {reference::plane(5003, 9, Boundary::torus), reference::plane(9, 700, Boundary::torus)}) {
        Wild wild{shape, 6};
        compare(wild, static_cast<int>(shape.count() / 3), 50, 12, on_this());
    }
}

// ---- what they see of an edge

// Of places that no access list names, and that are further away than any that one names.
TEST_P(HaresAndFoxes, SeeNoPlacesBeyondAnOpenEdge) {
    const TemporaryFolder folder;
    const auto model = folder.write("edges.cu", R"cu(#include <tessera/model.hpp>
struct Land { int four_west = 0; };
TESSERA_PLACE(Land, four_west);
struct Hare { int sites = 0; bool three_east = false; };
TESSERA_AGENT(Hare, on<Land>, sites, three_east);
TESSERA_CALL(Hare, look, sets<&Hare::sites, &Hare::three_east>) {
    self.sites = 0;
    self.place.each(lines_of<2>, [&](const auto&) { self.sites += 1; });
    self.three_east = self.place.exists(offset<3, 0>);
}
TESSERA_CALL(Land, look, sets<&Land::four_west>, counts<here, Hare>) { self.four_west = self.exists(offset<-4, 0>); }
TESSERA_MODEL(edges, "who sees edges");
TESSERA_DEFAULTS(R"toml(places.land = { size = [9, 7], boundary = "open" }
agents.hare = { place = "each" }
phase = [{ callAll = "hare.look" }, { callAll = "land.look" }])toml");
)cu");
    WorldUnderTest world(model.string(), {}, on_this());
    world.step_to(1);
    const auto table = world.agents("hare");
    const auto sites = world.agent_values<int>("hare", "sites");
    const auto three_east = world.agent_values<std::uint8_t>("hare", "three_east");
    const auto four_west = world.values<int>("land", "four_west");
    ASSERT_EQ(table.size(), 63u);
    for (std::size_t i = 0; i < table.size(); ++i) {
        const auto x = table.places[i] % 9, y = table.places[i] / 9;
        const auto on_line = [](std::int64_t at, std::int64_t n) {
            return std::min<std::int64_t>(at, 2) + std::min<std::int64_t>(n - 1 - at, 2);
        };
        EXPECT_EQ(sites[i], on_line(x, 9) + on_line(y, 7)) << x << ", " << y;
        EXPECT_EQ(three_east[i] != 0, x + 3 < 9) << x;
        EXPECT_EQ(four_west[static_cast<std::size_t>(table.places[i])] != 0, x >= 4) << x;
    }
}

TESSERA_ON_EVERY_DEVICE(HaresAndFoxes);

// ---- who there is at the start

TEST(FirstAgents, StandOnDifferentSlots) {
    WorldUnderTest world(test_model("hares_and_foxes"),
                         {"places.land.size=[19,23]", "agents.hare={count=1311,capacity=3}"}); // all there are
    const auto table = world.agents("hare");
    std::map<std::int64_t, int> residents;
    for (const auto place : table.places) ++residents[place];
    EXPECT_EQ(residents.size(), 19u * 23u);
    for (const auto& [place, count] : residents) EXPECT_EQ(count, 3) << place;
    EXPECT_EQ(std::set(table.ids.begin(), table.ids.end()).size(), 1311u);
    EXPECT_GT(table.ids.front(), 0u);
}

// Of a square around them, whose corners are further away than the middles of its sides, as many as are no further than asked; at the
// corner of a grid without another side those that are there.
class SitesNearBy : public OnDevice {};
TEST_P(SitesNearBy, AreThoseNoFurtherAway) {
    TemporaryFolder folder;
    const auto model =
        folder.write("watch.cu", "#include <tessera/model.hpp>\nstruct Land { int moss = 1; };\nTESSERA_PLACE(Land, moss);\n"
                                 "struct Owl { int sees[6] = {}; };\nTESSERA_AGENT(Owl, on<Land>, sees);\n"
                                 "TESSERA_CALL(Owl, look, around<moore_of<2>, &Land::moss>, writes<&Owl::sees>) {\n"
                                 "    for (int d = -1; d < 5; ++d)\n"
                                 "        self.place.each(moore_of<2>, d, [&](const auto& site) { self.sees[d + 1] += site.moss; });\n"
                                 "}\nTESSERA_MODEL(watch, \"owls that look around\");\n");
    WorldUnderTest world(
        model, {"places.land={size=[9,7],boundary=\"open\"}", "agents.owl={place=\"each\"}", "phase=[{callAll=\"owl.look\"}]"}, on_this());
    world.step_to(1);
    const auto places = world.agents("owl").places;
    ASSERT_EQ(places.size(), 63u);
    for (int d = -1; d < 5; ++d) {
        const auto sees = world.agent_values<std::int32_t>("owl", "sees", d + 1);
        for (std::size_t owl = 0; owl < sees.size(); ++owl) {
            const auto x = places[owl] % 9, y = places[owl] / 9;
            int expected = 0;
            for (int dy = -2; dy <= 2; ++dy)
                for (int dx = -2; dx <= 2; ++dx)
                    expected +=
                        (dx != 0 || dy != 0) && std::abs(dx) + std::abs(dy) <= d && x + dx >= 0 && x + dx < 9 && y + dy >= 0 && y + dy < 7;
            EXPECT_EQ(sees[owl], expected) << x << ", " << y << ", " << d;
        }
    }
}
TESSERA_ON_EVERY_DEVICE(SitesNearBy);

TEST(FirstAgents, AreSpreadAndDependOnTheSeed) {
    std::set<std::vector<std::int64_t>> places;
    for (const int seed : {1, 2, 3}) {
        WorldUnderTest world(test_model("hares_and_foxes"),
                             {fmt::format("run.seed={}", seed), "places.land.size=[100,100]", "agents.hare={count=1000}"});
        const auto table = world.agents("hare");
        places.insert(table.places);
        int quarters[4] = {}; // 250 each, and a standard deviation of 13
        for (const auto place : table.places) ++quarters[(place % 100 >= 50 ? 1 : 0) + (place / 100 >= 50 ? 2 : 0)];
        for (const auto quarter : quarters) EXPECT_NEAR(quarter, 250, 6 * 13);
    }
    EXPECT_EQ(places.size(), 3u);
}

TEST(FirstAgents, StandInABoxOrOnEachPlace) {
    WorldUnderTest world(test_model("hares_and_foxes"), {"places.land.size=[30,20]", "agents.hare={count=20,place={box=[[3,4],[8,8]]}}",
                                                         "agents.fox={place=\"each\",capacity=2,init={met=7}}"});
    const auto hares = world.agents("hare"), foxes = world.agents("fox");
    EXPECT_EQ(hares.size(), 20u); // as many as fit
    for (const auto place : hares.places) {
        EXPECT_TRUE(place % 30 >= 3 && place % 30 < 8) << place;
        EXPECT_TRUE(place / 30 >= 4 && place / 30 < 8) << place;
    }
    EXPECT_EQ(foxes.size(), 600u);
    EXPECT_EQ(std::set(foxes.places.begin(), foxes.places.end()).size(), 600u);
    EXPECT_EQ(world.agent_values<std::uint64_t>("fox", "met"), std::vector<std::uint64_t>(600, 7));
}

// 24 bits of the cycle, 10 of the place (600 of them), 30 of the rank: sdk.md.
TEST(FirstAgents, HaveIdsMadeOfTheirPlaces) {
    WorldUnderTest world(test_model("hares_and_foxes"), {"places.land.size=[30,20]", "agents.hare={count=900,capacity=2}"});
    const auto table = world.agents("hare");
    std::map<std::int64_t, std::uint64_t> born;
    for (std::size_t i = 0; i < table.size(); ++i)
        EXPECT_EQ(table.ids[i], static_cast<std::uint64_t>(table.places[i]) << 30 | ++born[table.places[i]]);
}

TEST(FirstAgents, HaveValuesOfTheirOwn) {
    WorldUnderTest world(test_model("hares_and_foxes"), {"agents.hare.count=1000"});
    const auto energy = world.agent_values<std::int32_t>("hare", "energy");
    std::map<std::int32_t, int> seen;
    for (const auto value : energy) ++seen[value];
    EXPECT_EQ(seen.size(), 12u); // 6 to 17, about 83 each
    EXPECT_EQ(seen.begin()->first, 6);
    EXPECT_EQ(seen.rbegin()->first, 17);
    for (const auto& [value, count] : seen) EXPECT_NEAR(count, 83, 6 * 9) << value;
}

} // namespace
} // namespace tessera::test::hares_and_foxes_test
