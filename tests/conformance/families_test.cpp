// Agents that meet others and have children, of agents and of places, against a plain sequential program: agent by agent.
#include "device_runtime/error.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/compilers.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

namespace tessera::test::families_test {
namespace {

using reference::Offset;

struct Hare : reference::Agent {
    std::int32_t energy = 5;
    float way[2] = {0, 1};
    std::uint64_t seen = 1;
};
struct Fox : reference::Agent {
    std::int32_t hunger = 0;
    std::uint64_t met = 7;
};

// tests/models/families, written as loops.
struct Families {
    Shape shape;
    std::uint64_t seed = 1;
    static constexpr int any = 1 << 30;
    int room_for_hares = 3, room_for_foxes = 2; // `any` number of hares: they stand in a list
    bool by_id = false;
    std::vector<std::int32_t> grass{};
    std::vector<std::int64_t> trail{};
    std::vector<bool> den{}, marked{};
    std::vector<std::int32_t> visits{};
    std::vector<float> scent{};
    std::vector<double> low{};
    std::vector<std::uint8_t> tracks{}; // the second of two
    std::vector<Hare> hares{};
    std::vector<Fox> foxes{};
    std::vector<reference::Wanted<Hare>> young_hares{};
    std::vector<reference::Wanted<Fox>> young_foxes{};
    reference::Tally of_hares{}, of_foxes{};
    std::uint64_t cycles_of_hares = 0, cycles_of_foxes = 0;
    std::map<std::size_t, std::vector<std::size_t>> hares_on{}, foxes_on{}; // by index_by_place

    void step(std::uint64_t k) {
        act(k);
        manage_hares(k, 0, true);
        mark();
        sniff();
        live();
        hunt(k);
        lure(k);
        breed(k, 0);
        if (k % 3 == 1) breed(k, 1);
        manage_hares(k, 1, true);
        manage_foxes(k, 1);
        flee();
        manage_hares(k, 2, false);
    }

private:
    using Offsets = std::vector<Offset>;
    static Offsets von_neumann() { return {{0, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {0, 1, 0}}; }
    static Offsets moore() { return {{-1, -1, 0}, {0, -1, 0}, {1, -1, 0}, {-1, 0, 0}, {1, 0, 0}, {-1, 1, 0}, {0, 1, 0}, {1, 1, 0}}; }
    static Offsets with_here(Offsets others) {
        others.insert(others.begin(), Offset{});
        return others;
    }

    // Calls `visit(other)` for those around a place, but for one, in the order of the offsets and then of ids.
    template<class A, class Visit>
    void meet(const std::vector<A>& all, std::size_t place, const Offsets& around, std::uint64_t but, const Visit& visit) const {
        for (const auto& offset : around) {
            const auto there = reference::place_at(shape, place, offset);
            if (!there) continue;
            std::vector<const A*> residents;
            for (const auto& one : on(all, *there)) residents.push_back(one);
            std::sort(residents.begin(), residents.end(), [](const A* a, const A* b) { return a->id < b->id; });
            for (const auto* one : residents)
                if (one->id != but) visit(*one);
        }
    }
    // Who stands on a place of a list whose order is that of `index_by_place`.
    template<class A> std::vector<const A*> on(const std::vector<A>& all, std::size_t place) const {
        std::vector<const A*> found;
        if constexpr (std::is_same_v<A, Hare>) {
            if (const auto at = hares_on.find(place); at != hares_on.end())
                for (const auto i : at->second) found.push_back(&all[i]);
        } else if (const auto at = foxes_on.find(place); at != foxes_on.end())
            for (const auto i : at->second) found.push_back(&all[i]);
        return found;
    }
    void index_by_place() {
        hares_on.clear(), foxes_on.clear();
        for (std::size_t i = 0; i < hares.size(); ++i) hares_on[hares[i].place].push_back(i);
        for (std::size_t i = 0; i < foxes.size(); ++i) foxes_on[foxes[i].place].push_back(i);
    }

    // The number of the request among those of one parent until a manageAll: phases come one after the other.
    template<class A, class Child>
    void ask(std::vector<reference::Wanted<Child>>& wanted, int order, const A& parent, const Offset& offset, const Child& child) {
        wanted.push_back({order, parent.id, static_cast<int>(wanted.size()), reference::place_at(shape, parent.place, offset), child});
    }

    void act(std::uint64_t k) {
        index_by_place();
        const auto key = key_of(seed, "hare.act", 0);
        const auto there_are = reference::residents(hares, shape);
        const auto before = hares;
        for (auto& hare : hares) {
            Stream stream(key, hare.id, k);
            std::int32_t most = 0;
            meet(before, hare.place, moore(), hare.id, [&](const Hare& other) {
                most = std::max(most, other.energy);
                hare.seen = hare.seen * 3 + other.id;
            });
            meet(foxes, hare.place, with_here(von_neumann()), 0,
                 [&](const Fox& other) { hare.seen = hare.seen * 5 + other.id + static_cast<std::uint64_t>(other.hunger); });
            hare.energy += grass[hare.place] - there_are[hare.place] - (most > hare.energy ? 1 : 0);
            hare.way[0] = static_cast<float>(most);
            hare.way[1] = 1;
            if (hare.energy < 0) hare.dying = true;
            Hare child;
            if (stream.below(8) == 0) child.energy = hare.energy / 2, ask(young_hares, 2, hare, {}, child);
            child = {};
            child.energy = 2, child.way[0] = 2, child.way[1] = 3;
            if (stream.below(6) == 0) ask(young_hares, 2, hare, {1, -1, 0}, child);
            const auto dx = static_cast<int>(stream.below(3)) - 1, dy = static_cast<int>(stream.below(3)) - 1;
            if (dx != 0 || dy != 0) hare.move_request = Offset{dx, dy, 0};
        }
    }
    void breed(std::uint64_t k, std::uint64_t nth) {
        const auto key = key_of(seed, "hare.breed", nth);
        for (const auto& hare : hares) {
            Stream stream(key, hare.id, k);
            Hare child;
            child.energy = 1;
            if (hare.energy > 3 && stream.below(12) == 0) ask(young_hares, 2, hare, {1, 0, 0}, child);
        }
    }
    template<class A> std::vector<A*> in_order(std::vector<A>& agents) {
        std::vector<A*> sorted;
        for (auto& agent : agents) sorted.push_back(&agent);
        std::sort(sorted.begin(), sorted.end(), [](const A* a, const A* b) { return a->id < b->id; });
        return sorted;
    }
    void mark() {
        const auto before = visits;
        for (const auto* hare : in_order(hares)) {
            const auto at = hare->place;
            visits[at] += hare->energy > 5 ? -1 : 2;
            scent[at] += before[at] % 2 == 0 ? 0.1f * static_cast<float>(hare->energy) + 0.3f : 0.3f;
            tracks[at] = static_cast<std::uint8_t>(tracks[at] + 7);
            if (hare->energy != 4) low[at] = std::min(low[at], 1000.0 / hare->energy);
            if (hare->energy > 9) marked[at] = true;
        }
    }
    void sniff() {
        const auto before = scent;
        for (auto* fox : in_order(foxes)) {
            float sum = 0;
            for (const auto& offset : von_neumann())
                if (const auto there = seen_at(fox->place, offset)) sum += before[*there];
            if (sum > 3) fox->met += 1;
            scent[fox->place] += sum / 16;
        }
    }
    void live() {
        index_by_place();
        const auto there_are_hares = reference::residents(hares, shape), there_are_foxes = reference::residents(foxes, shape);
        const auto before = trail;
        for (std::size_t i = 0; i < shape.count(); ++i) {
            std::int32_t all = 0;
            meet(hares, i, {{}}, 0, [&](const Hare& other) { all = all * 2 + other.energy; });
            grass[i] = all > 9 ? 1 : 3;
            std::int64_t sum = 0;
            for (const auto& offset : von_neumann())
                if (const auto there = seen_at(i, offset)) sum += before[*there];
            trail[i] = sum / 8 + there_are_hares[i] * 100;
            Fox child;
            child.hunger = 2, child.met = static_cast<std::uint64_t>(trail[i]);
            if (den[i] && there_are_foxes[i] == 0) ask_of_place(i, child);
        }
    }
    void lure(std::uint64_t k) {
        const auto key = key_of(seed, "land.lure", 0);
        for (std::size_t i = 0; i < shape.count(); ++i) {
            Stream stream(key, number_of(i, shape.nx), k);
            Fox child;
            child.hunger = 1;
            if (trail[i] > 290 && stream.below(9) == 0) ask_of_place(i, child);
        }
    }
    void ask_of_place(std::size_t place, const Fox& child) {
        young_foxes.push_back({0, 0, static_cast<int>(young_foxes.size()), place, child});
    }
    // What a function of places sees at an offset: beyond a mirror the grid again, beyond constants these, which are 0.
    [[nodiscard]] std::optional<std::size_t> seen_at(std::size_t place, const Offset& by) const {
        const auto here = static_cast<std::int64_t>(place);
        const auto x = reference::follow(here % shape.nx + by.x, shape.nx, shape.x);
        const auto y = reference::follow(here / shape.nx + by.y, shape.ny, shape.y);
        if (x < 0 || x >= shape.nx || y < 0 || y >= shape.ny) return std::nullopt;
        return shape.index(x, y, 0);
    }
    void hunt(std::uint64_t k) {
        index_by_place();
        const auto key = key_of(seed, "fox.hunt", 0);
        const auto there_are_hares = reference::residents(hares, shape);
        const auto before = foxes;
        for (auto& fox : foxes) {
            Stream stream(key, fox.id, k);
            meet(before, fox.place, moore(), fox.id,
                 [&](const Fox& other) { fox.met = fox.met * 7 + static_cast<std::uint64_t>(other.hunger); });
            fox.hunger += there_are_hares[fox.place] > 0 ? -2 : 1;
            if (fox.hunger > 9) fox.dying = true;
            if (fox.hunger < -6) {
                fox.hunger = 0;
                ask(young_foxes, 3, fox, {0, -1, 0}, Fox{});
            }
            if (stream.below(50) == 0) ask(young_hares, 3, fox, {}, Hare{});
            fox.move_request = Offset{stream.below(2) == 0 ? 1 : -1, 0, 0};
        }
    }
    void flee() {
        const auto there_are_foxes = reference::residents(foxes, shape);
        const auto ranks = reference::ranks_of(hares);
        for (std::size_t i = 0; i < hares.size(); ++i)
            if (ranks[i] < there_are_foxes[hares[i].place]) hares[i].dying = true;
    }

    [[nodiscard]] auto priority(const std::string& name, std::uint64_t k, std::uint64_t nth) const {
        return [this, drawn = drawn_priority(seed, name, nth, k)](std::uint64_t id) { return by_id ? id : drawn(id); };
    }
    void manage_hares(std::uint64_t k, std::uint64_t nth, bool spawns) {
        reference::manage(hares, shape, room_for_hares, priority("hare", k, nth), of_hares);
        if (spawns) reference::spawn(hares, young_hares, shape, room_for_hares, priority("hare", k, nth), ++cycles_of_hares, of_hares);
    }
    void manage_foxes(std::uint64_t k, std::uint64_t nth) {
        reference::manage(foxes, shape, room_for_foxes, priority("fox", k, nth), of_foxes);
        reference::spawn(foxes, young_foxes, shape, room_for_foxes, priority("fox", k, nth), ++cycles_of_foxes, of_foxes);
    }
};

class FamiliesOfAgents : public OnDevice {
protected:
    static std::vector<std::string> keys(const Families& families, int hares) {
        auto keys = geometry("land", families.shape);
        const char* const priority = families.by_id ? "id" : "random";
        keys.push_back(fmt::format("run.seed={}", families.seed));
        const auto capacity = [](int room) { return room == Families::any ? "\"unlimited\"" : std::to_string(room); };
        keys.push_back(fmt::format("agents.hare={{count={},capacity={},priority=\"{}\",on_edge=\"refuse\"}}", hares,
                                   capacity(families.room_for_hares), priority));
        keys.push_back(
            fmt::format("agents.fox={{capacity={},priority=\"{}\",on_edge=\"refuse\"}}", capacity(families.room_for_foxes), priority));
        return keys;
    }
    static void start(Families& families, const WorldUnderTest& world) {
        families.grass = world.values<std::int32_t>("land", "grass");
        families.trail = world.values<std::int64_t>("land", "trail");
        families.den = world.values<bool>("land", "den");
        families.visits = world.values<std::int32_t>("land", "visits");
        families.scent = world.values<float>("land", "scent");
        families.low = world.values<double>("land", "low");
        families.marked = world.values<bool>("land", "marked");
        families.tracks.assign(families.shape.count(), 250);
        families.hares = agents_of<Hare>(world, "hare");
        families.foxes = agents_of<Fox>(world, "fox");
        take_member(families.hares, &Hare::energy, world, "hare", "energy");
        take_member(families.hares, &Hare::seen, world, "hare", "seen");
        take_member(families.foxes, &Fox::hunger, world, "fox", "hunger");
        families.of_foxes.born = families.foxes.size(); // of dens
    }

    static void expect(const WorldUnderTest& world, const Families& families) {
        expect_same(world.values<std::int32_t>("land", "grass"), families.grass, families.shape, "grass");
        expect_same(world.values<std::int64_t>("land", "trail"), families.trail, families.shape, "trail");
        expect_same(world.values<std::int32_t>("land", "visits"), families.visits, families.shape, "visits");
        expect_same(world.values<float>("land", "scent"), families.scent, families.shape, "scent");
        expect_same(world.values<double>("land", "low"), families.low, families.shape, "low");
        EXPECT_EQ(world.values<bool>("land", "marked"), families.marked);
        const auto tracks = world.values<std::uint8_t>("land", "tracks");
        EXPECT_EQ(std::vector<std::uint8_t>(tracks.begin(), tracks.begin() + static_cast<std::ptrdiff_t>(tracks.size() / 2)),
                  std::vector<std::uint8_t>(tracks.size() / 2, 0));
        EXPECT_EQ(std::vector<std::uint8_t>(tracks.begin() + static_cast<std::ptrdiff_t>(tracks.size() / 2), tracks.end()),
                  families.tracks);
        expect_agents(world, "hare", families.hares, member("energy", &Hare::energy), member("way", &Hare::way),
                      member("seen", &Hare::seen));
        expect_agents(world, "fox", families.foxes, member("hunger", &Fox::hunger), member("met", &Fox::met));
        expect_counted(world.counters("hare"), families.of_hares);
        expect_counted(world.counters("fox"), families.of_foxes);
    }

    static void compare(Families families, int hares, std::uint64_t steps, const Options& options) {
        WorldUnderTest world(test_model("families"), keys(families, hares), options);
        start(families, world);
        families.of_foxes.not_born = world.counters("fox").refused_births; // in dens, for which the room is too small
        for (std::uint64_t k = 0; k < steps; ++k) {
            families.step(k);
            if (k % 7 == 3 || k < 3 || k + 1 == steps) {
                world.step_to(k + 1);
                expect(world, families);
                if (HasFatalFailure()) FAIL() << "after step " << k;
            }
        }
        for (const auto* tally : {&families.of_hares, &families.of_foxes}) {
            EXPECT_GT(tally->born, 0u);
            EXPECT_TRUE(tally->not_born > 0 || families.room_for_hares >= 8);
            EXPECT_GT(tally->died, 0u);
        }
    }

private:
    QuickCompiler quick_{};
};

TEST_P(FamiliesOfAgents, AreThoseOfAPlainProgram) { compare({reference::plane(47, 39, Boundary::torus)}, 700, 200, on_this()); }

TEST_P(FamiliesOfAgents, FindRoomForOneOrForMany) {
    for (const auto& [hares, foxes] : {std::pair(1, 1), std::pair(8, 5)}) {
        Families families{reference::plane(31, 43, Boundary::torus), 4};
        families.room_for_hares = hares;
        families.room_for_foxes = foxes;
        families.by_id = hares == 8;
        compare(families, 500, 50, on_this());
    }
}

TEST_P(FamiliesOfAgents, StayInAGridThatIsNoTorus) {
    for (const auto boundary : {Boundary::open, Boundary::fixed, Boundary::reflect}) {
        Families families{reference::plane(29, 33, boundary), 3};
        families.shape.x = boundary == Boundary::open ? Boundary::torus : boundary;
        compare(families, 400, 40, on_this());
    }
}

TEST_P(FamiliesOfAgents, StandInAListWherePlacesHaveRoomForAnyNumber) {
    for (const auto boundary : {Boundary::torus, Boundary::open}) {
        Families families{reference::plane(71, 67, boundary), 8};
        families.room_for_hares = Families::any;
        families.by_id = boundary == Boundary::open;
        if (families.by_id) families.room_for_foxes = Families::any; // and those in dens are in it before the first step
        compare(families, 3000, 40, on_this());
    }
}

// Where no place is ever full, nobody sees which it is.
TEST_P(FamiliesOfAgents, HaveTheSameStateInAListAndInSlots) {
    const auto hash_with = [](const std::string& capacity) {
        WorldUnderTest world(test_model("families"),
                             {"run.seed=3", "places.land.size=[83,61]", "agents.hare={place=\"each\",capacity=" + capacity + "}"},
                             on_this());
        world.step_to(2);
        const auto counters = world.counters("hare");
        EXPECT_EQ(counters.refused_moves + counters.refused_births, 0u);
        EXPECT_GT(counters.born, 1000u);
        return world.hash();
    };
    EXPECT_EQ(hash_with("8"), hash_with("\"unlimited\""));
}

TESSERA_ON_EVERY_DEVICE(FamiliesOfAgents);

// ---- before the first step

TEST(FirstChildren, AreBornWhereInitFunctionsWantThem) {
    WorldUnderTest world(test_model("families"), {"places.land.size=[60,50]", "agents.fox={count=1500,capacity=2}"});
    const auto dens = world.values<bool>("land", "den");
    const auto foxes = world.agents("fox");
    const auto hunger = world.agent_values<std::int32_t>("fox", "hunger");
    std::map<std::int64_t, int> residents;
    for (const auto place : foxes.places) ++residents[place];
    std::size_t children = 0, not_born = 0;
    for (std::size_t i = 0; i < dens.size(); ++i) {
        EXPECT_LE(residents[static_cast<std::int64_t>(i)], 2) << i;
        EXPECT_GE(residents[static_cast<std::int64_t>(i)], dens[i] ? 2 : 0) << i;
    }
    EXPECT_EQ(std::set(foxes.ids.begin(), foxes.ids.end()).size(), foxes.size());
    children = foxes.size() - 1500;
    for (const auto den : dens) not_born += den ? 3 : 0;
    not_born -= children;
    EXPECT_GT(children, 0u);
    EXPECT_EQ(world.counters("fox").born, children);
    EXPECT_EQ(world.counters("fox").refused_births, not_born);
    EXPECT_EQ(*std::min_element(hunger.begin(), hunger.end()), 1); // Fox::stir goes over all, 0 + 1
    EXPECT_EQ(*std::max_element(hunger.begin(), hunger.end()), 2); // a den's second child where one fits, else its first
}

// Behind those who stand there, with ids after theirs.
TEST(FirstChildren, AreBornInAList) {
    WorldUnderTest world(test_model("families"), {"places.land.size=[60,50]", "agents.hare.capacity=\"unlimited\"",
                                                  "agents.fox={count=1500,capacity=\"unlimited\",init.hunger=7}"});
    const auto dens = world.values<bool>("land", "den");
    const auto foxes = world.agents("fox");
    const auto met = world.agent_values<std::uint64_t>("fox", "met");
    std::map<std::int64_t, std::vector<std::uint64_t>> ids; // of those of a place, in the order of the list
    for (std::size_t i = 0; i < foxes.size(); ++i) ids[foxes.places[i]].push_back(foxes.ids[i]);
    constexpr int rank_bits = 40 - 12; // of 3000 places
    std::size_t born = 0;
    for (std::size_t place = 0; place < dens.size(); ++place) {
        auto& here = ids[static_cast<std::int64_t>(place)];
        std::sort(here.begin(), here.end());
        EXPECT_GE(here.size(), dens[place] ? 3u : 0u);
        born += dens[place] ? 3 : 0;
        for (std::size_t rank = 0; rank < here.size(); ++rank) ASSERT_EQ(here[rank], std::uint64_t{place} << rank_bits | (rank + 1));
    }
    EXPECT_GT(born, 0u);
    EXPECT_EQ(foxes.size(), 1500 + born);
    EXPECT_EQ(world.counters("fox").born, born);
    EXPECT_EQ(met, std::vector<std::uint64_t>(foxes.size(), 7));
}

TEST(FirstChildren, NeedRoomInAList) {
    try {
        WorldUnderTest(test_model("families"),
                       {"agents.hare.capacity=\"unlimited\"", "agents.fox={count=20,capacity=\"unlimited\",reserve=22}"});
        FAIL() << "there are dens";
    } catch (const Error& error) {
        EXPECT_THAT(error.what(), ::testing::MatchesRegex(
                                      "there is no room for [0-9]+ agents of fox before the first step \\(there is memory for 22 of fox\\) "
                                      "set agents.fox.reserve to the largest number that may exist at once, at most 2\\^30"));
    }
}

TEST(FirstAgents, AddToTheirPlacesWhateverTheyAreGiven) {
    WorldUnderTest world(test_model("families"), {"agents.hare.init={energy=77,seen=1}"});
    std::vector<std::int32_t> expected(50 * 40);
    for (const auto place : world.agents("hare").places) expected[static_cast<std::size_t>(place)] += 2;
    EXPECT_EQ(world.values<std::int32_t>("land", "visits"), expected);
    EXPECT_GT(*std::max_element(expected.begin(), expected.end()), 2); // several on a place
}

TEST(FirstAgents, StandAnywhereInAList) {
    WorldUnderTest world(test_model("families"), {"places.land.size=[20,20]", "agents.hare={count=40000,capacity=\"unlimited\"}"});
    std::map<std::int64_t, int> residents;
    const auto table = world.agents("hare");
    for (const auto place : table.places) ++residents[place];
    EXPECT_EQ(residents.size(), 400u);
    for (const auto& [place, count] : residents) EXPECT_NEAR(count, 100, 60) << place; // Poisson: six standard deviations
    EXPECT_EQ(std::set(table.ids.begin(), table.ids.end()).size(), 40000u);
    WorldUnderTest boxed(test_model("families"), {"agents.hare={count=1000,capacity=\"unlimited\",place={box=[[7,9],[8,10]]}}"});
    for (const auto place : boxed.agents("hare").places) EXPECT_EQ(place, 9 * 50 + 7);
}

// A list that is full ends the run before anybody is lost.
TEST(FirstAgents, HaveChildrenUntilThereIsNoRoomInTheirList) {
    WorldUnderTest world(test_model("families"), {"agents.hare={count=1000,capacity=\"unlimited\",reserve=1100}"});
    EXPECT_EQ(world.agents("hare").size(), 1000u);
    try {
        world.step_to(50);
        ADD_FAILURE() << "they found room";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), Failure::model);
        EXPECT_NE(std::string(error.what()).find("there is memory for 1100 of hare"), std::string::npos) << error.what();
    }
    const auto alive = world.agents("hare").size();
    EXPECT_GT(alive, 0u);
    EXPECT_LE(alive, 1100u);
}

TEST(FirstAgents, KeepWhatTheRunFileGivesThem) {
    WorldUnderTest given(test_model("families"), {"agents.hare.init.energy=77"});
    const auto energy = given.agent_values<std::int32_t>("hare", "energy");
    EXPECT_EQ(energy, std::vector<std::int32_t>(700, 77));
    WorldUnderTest in_a_list(test_model("families"),
                             {"agents.hare={count=5000,capacity=\"unlimited\",init={energy=78}}"}); // of 2000 places
    EXPECT_EQ(in_a_list.agent_values<std::int32_t>("hare", "energy"), std::vector<std::int32_t>(5000, 78));
    WorldUnderTest made(test_model("families"), {});
    std::set<std::int32_t> seen;
    for (const auto value : made.agent_values<std::int32_t>("hare", "energy")) seen.insert(value);
    EXPECT_EQ(seen, (std::set<std::int32_t>{5, 6, 7, 8, 9}));
}

} // namespace
} // namespace tessera::test::families_test
