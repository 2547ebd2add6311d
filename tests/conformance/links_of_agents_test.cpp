// Links that agents ask for, against a plain program of the letter, agent by agent: on grids, between places on which nobody stands, and
// beside links that places ask for.
// optimise: yes
#include "host/distribution/arranged.hpp"
#include "host/distribution/stripes.hpp"
#include "host/world/link_lists.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/support/agents.hpp"
#include "tests/support/states.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <tuple>

namespace tessera::test::links_of_agents_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Bond { // of either kind
    std::int64_t from = 0, to = 0, by = 0;
    std::int32_t since = -1;
    std::array<std::int16_t, 2> marks{};

    [[nodiscard]] auto ends() const { return std::tuple(to, from); }
    friend bool operator==(const Bond& a, const Bond& b) {
        return std::tie(a.from, a.to, a.by, a.since, a.marks) == std::tie(b.from, b.to, b.by, b.since, b.marks);
    }
};
void PrintTo(const Bond& bond, std::ostream* out) {
    *out << fmt::format("{} - {} by {} since {}, {}", bond.from, bond.to, bond.by, bond.since, bond.marks[0]);
}

struct Pedestrian : reference::Agent {
    std::int32_t person = 0, last = -1;
};

// tests/models/encounters, written as loops.
struct Encounters {
    static constexpr std::size_t persons = 40;
    std::uint64_t seed = 1;
    int capacity = 4;
    bool parallel = false;
    Shape shape = reference::plane(9, 7, reference::Boundary::torus);
    std::vector<Pedestrian> walkers{};
    std::vector<Bond> known{}, trails{}, known_wanted{}, trails_wanted{};
    std::vector<std::int64_t> persons_seen = std::vector<std::int64_t>(persons), squares_seen = std::vector<std::int64_t>(9 * 7);
    reference::Tally walked{}, of_known{}, of_trails{};

    [[nodiscard]] std::uint64_t key(const std::string& function, std::uint64_t call = 0) const { return key_of(seed, function, call); }

    // Which of them end. Those behind the first of the same ends draw by another key.
    [[nodiscard]] std::vector<char> fading(const std::vector<Bond>& bonds, const std::string& function, std::uint64_t k) const {
        std::vector<char> ends;
        for (std::size_t i = 0; i < bonds.size(); ++i) {
            std::uint64_t rank = 0;
            while (rank < i && bonds[i - rank - 1].ends() == bonds[i].ends()) ++rank;
            Stream random(rank == 0 ? key(function) : mixed(key(function) + rank),
                          (static_cast<std::uint64_t>(bonds[i].from) << 31) + static_cast<std::uint64_t>(bonds[i].to), k);
            ends.push_back(random.uniform() < 0.3f ? 1 : 0);
        }
        return ends;
    }
    // In the order of ids, as they are served.
    void meet(std::uint64_t k, std::uint64_t call) {
        std::sort(walkers.begin(), walkers.end(), [](const auto& a, const auto& b) { return a.id < b.id; });
        for (const auto& one : walkers) {
            std::vector<std::int64_t> whom;
            if (Stream(key("walker.meet", call), one.id, k).below(2) == 0) whom.push_back(1);
            for (const auto& other : walkers)
                if (other.place == one.place && other.id != one.id) whom.push_back(other.person);
            for (std::size_t i = 0; i < std::min<std::size_t>(whom.size(), 3); ++i)
                known_wanted.push_back({one.person,
                                        whom[i],
                                        static_cast<std::int64_t>(one.id),
                                        static_cast<std::int32_t>(k),
                                        {static_cast<std::int16_t>(i), 7}});
        }
    }
    void roam(std::uint64_t k) {
        for (auto& one : walkers) {
            const auto here = static_cast<std::int64_t>(one.place);
            if (one.last >= 0) trails_wanted.push_back({one.last, here, static_cast<std::int64_t>(one.id)});
            one.last = static_cast<std::int32_t>(here);
            Stream random(key("walker.roam"), one.id, k);
            const auto dx = std::int64_t{random.below(3)} - 1, dy = std::int64_t{random.below(3)} - 1;
            if (dx != 0 || dy != 0) one.move_request = reference::Offset{dx, dy};
            if (dx == 1 && dy == 1) known_wanted.push_back({2, 3, -5});
        }
    }
    void multiply(std::uint64_t k) {
        std::vector<reference::Wanted<Pedestrian>> children;
        for (auto& one : walkers) {
            const auto fate = Stream(key("walker.multiply"), one.id, k).below(10);
            one.dying = fate == 1;
            if (fate != 0) continue;
            Pedestrian child;
            child.person = (one.person * 7 + 1) % 40;
            children.push_back({1, one.id, 0, one.place, child});
        }
        const auto priority = drawn_priority(seed, "walker", 1, k);
        reference::manage(walkers, shape, capacity, priority, walked);
        reference::spawn(walkers, children, shape, capacity, priority, k + 1, walked);
    }
    // Kills, then those that are wanted, one after the other.
    void manage(std::vector<Bond>& bonds, const std::vector<char>& ends, std::vector<Bond>& wanted, bool directed,
                reference::Tally& tally) {
        std::vector<Bond> left;
        for (std::size_t i = 0; i < bonds.size(); ++i) {
            if (ends[i] == 0) left.push_back(bonds[i]);
            tally.died += ends[i] != 0 ? 1 : 0;
        }
        for (auto& wish : wanted) {
            if (!directed && wish.from > wish.to) std::swap(wish.from, wish.to);
            const bool is_there = std::any_of(left.begin(), left.end(), [&](const Bond& bond) { return bond.ends() == wish.ends(); });
            const bool is_refused = (is_there && !parallel) || wish.from == wish.to;
            if (!is_refused) left.push_back(wish);
            ++(is_refused ? tally.not_born : tally.born);
        }
        std::stable_sort(left.begin(), left.end(), [](const Bond& a, const Bond& b) { return a.ends() < b.ends(); });
        bonds = std::move(left);
        wanted.clear();
    }
    void look() {
        for (std::size_t p = 0; p < persons; ++p) {
            std::vector<std::pair<std::int64_t, const Bond*>> others;
            for (const auto& bond : known)
                if (bond.from == static_cast<std::int64_t>(p) || bond.to == static_cast<std::int64_t>(p))
                    others.emplace_back(bond.from == static_cast<std::int64_t>(p) ? bond.to : bond.from, &bond);
            std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            for (const auto& [other, bond] : others)
                persons_seen[p] = (persons_seen[p] * 31 + other + bond->since + bond->by % 1000 + 10 * bond->marks[0]) % 1000003;
        }
        for (std::size_t s = 0; s < squares_seen.size(); ++s)
            for (const auto& trail : trails)
                if (trail.from == static_cast<std::int64_t>(s))
                    squares_seen[s] = (squares_seen[s] * 31 + trail.to + trail.by % 1000) % 1000003;
    }
    void step(std::uint64_t k) {
        const auto known_ends = fading(known, "known.fade", k), trails_end = fading(trails, "trail.fade", k);
        meet(k, 0);
        roam(k);
        reference::manage(walkers, shape, capacity, drawn_priority(seed, "walker", 0, k), walked);
        meet(k, 1);
        multiply(k);
        for (std::size_t p = 0; p < persons; ++p)
            known_wanted.push_back({static_cast<std::int64_t>(p), Stream(key("person.greet"), p, k).below(persons), -1});
        manage(known, known_ends, known_wanted, false, of_known);
        manage(trails, trails_end, trails_wanted, true, of_trails);
        look();
    }
};

std::vector<Bond> bonds_of(const WorldUnderTest& world, const std::string& name) {
    const auto& setup = world.setup();
    const auto id = require_collection(setup, name, {});
    std::vector<Bond> all(static_cast<std::size_t>(links_there(setup, id, world.simulation().reader())));
    const auto first = setup.column_of(id, Role::link_end);
    const auto from = world.simulation().read(first), to = world.simulation().read(ColumnId(first.index() + 1));
    const auto by = world.values<std::int64_t>(name, "by");
    for (std::size_t i = 0; i < all.size(); ++i) all[i] = {from.data<std::int32_t>()[i], to.data<std::int32_t>()[i], by[i]};
    if (name == "trail") return all;
    const auto since = world.values<std::int32_t>(name, "since");
    const auto marks = world.values<std::int16_t>(name, "marks"); // a plane an element
    for (std::size_t i = 0; i < all.size(); ++i) all[i].since = since[i], all[i].marks = {marks[i], marks[marks.size() / 2 + i]};
    return all;
}

void expect_bonds(const WorldUnderTest& world, const std::string& name, const std::vector<Bond>& bonds, const reference::Tally& tally) {
    ASSERT_EQ(bonds_of(world, name), bonds) << name;
    const auto counts = world.counters(name);
    EXPECT_EQ(counts.born, tally.born) << name;
    EXPECT_EQ(counts.died, tally.died) << name;
    EXPECT_EQ(counts.refused_births, tally.not_born) << name;
}

class LinksOfAgents : public OnDevice {
protected:
    // Agents in the order of ids with a manageAll of links that is compiled with the program; and in slots, or in a list in the order of
    // places, with kernels.
    [[nodiscard]] static std::vector<Options> storages() {
        auto options = on_this(), other = on_this();
        other.for_any_devices = true;
        return on_cpu() ? std::vector<Options>{options, other} : std::vector<Options>{options};
    }
    static std::vector<std::string> keys(const Encounters& plain, const std::string& capacity) {
        return {fmt::format("run.seed={}", plain.seed), "agents.walker.capacity=" + capacity,
                fmt::format("links.known.parallel={}", plain.parallel), fmt::format("links.trail.parallel={}", plain.parallel),
                // memory is for several times as many as there are at first
                fmt::format("links.known.generate.links={}", plain.parallel ? 600 : 60),
                fmt::format("links.trail.generate.links={}", plain.parallel ? 90 : 20), "links.known.init.by=3"};
    }
    static void compare(const Encounters& encounters, const std::string& capacity) {
        for (const auto& options : storages()) {
            auto plain = encounters;
            WorldUnderTest world(test_model("encounters"), keys(plain, capacity), options);
            plain.walkers = agents_of<Pedestrian>(world, "walker");
            take_member(plain.walkers, &Pedestrian::person, world, "walker", "person");
            plain.known = bonds_of(world, "known"), plain.trails = bonds_of(world, "trail");
            for (std::uint64_t k = 0; k < 12; ++k) {
                plain.step(k);
                world.step_to(k + 1);
                expect_agents(world, "walker", plain.walkers, member("person", &Pedestrian::person), member("last", &Pedestrian::last));
                expect_bonds(world, "known", plain.known, plain.of_known);
                expect_bonds(world, "trail", plain.trails, plain.of_trails);
                EXPECT_EQ(world.values<std::int64_t>("person", "seen"), plain.persons_seen);
                EXPECT_EQ(world.values<std::int64_t>("square", "seen"), plain.squares_seen);
                if (HasFailure()) FAIL() << "after step " << k << ", " << (options.for_any_devices ? "any devices" : "one device");
            }
            EXPECT_GT(plain.of_known.born, 100u);
            EXPECT_GT(plain.of_trails.born, 50u);
            EXPECT_GT(plain.of_known.not_born, 20u);
            EXPECT_GT(plain.walked.born, 10u);
            EXPECT_GT(plain.walked.died, 10u);
        }
    }
};

TEST_P(LinksOfAgents, AreServedInTheOrderOfTheirIds) { compare({1, 4}, "4"); }
TEST_P(LinksOfAgents, AreSeveralOfTheSameEnds) { compare({2, 1 << 30, true}, "\"unlimited\""); }

// The device that makes the links makes the places where agents ask for them as well.
TEST(LinksOfAgentsOnSeveralCpus, AreThoseOfOne) {
    const auto prepared =
        prepare(for_any_devices({test_model("encounters"), {"output=[]", "run.steps=9", "places.square.size=[9,21]"}, {}}), compiler());
    const auto hash_of = [&](std::size_t count, Distribution distribution) {
        const auto setup = arranged(prepared.setup, std::move(distribution));
        const auto devices = open_devices(std::vector<std::string>(count, "cpu"), 1);
        std::vector<Device*> pointers;
        for (const auto& device : devices) pointers.push_back(device.get());
        ThreadPool pool(1);
        Simulation simulation(setup, pointers, compiler(), pool);
        simulation.advance(9, [](std::uint64_t) { return true; });
        return simulation.hash();
    };
    const auto three = divided(prepared.setup, 3);
    const auto& squares = three.stripes[require_collection(prepared.setup, "square", {}).index()];
    EXPECT_EQ(std::count_if(squares.begin(), squares.end(), [](const RowRange& rows) { return rows.rows() > 0; }), 1);
    EXPECT_EQ(hash_of(3, three), hash_of(1, {}));
}

std::string fault_of(WorldUnderTest& world) {
    try {
        world.step_to(2);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST_P(LinksOfAgents, SayWhatWasAskedInVain) {
    WorldUnderTest stray(test_model("encounters"), {"phase=[{callAll=\"walker.stray\"},{manageAll=\"*\"}]"}, storages().front());
    const auto all = stray.agents("walker"); // in the order of ids
    const auto who = all.ids[static_cast<std::size_t>(std::find(all.places.begin(), all.places.end(), 5) - all.places.begin())];
    EXPECT_THAT(fault_of(stray),
                AllOf(HasSubstr(fmt::format("walker {} on place (5, 0) spawns a link that leads to no place in step 0", who)),
                      HasSubstr("the places of square have numbers from 0 to 62"), HasSubstr("self.place.id")));
    WorldUnderTest grab(test_model("encounters"), {"phase=[{callAll=\"walker.grab\"},{manageAll=\"*\"}]"}, storages().back());
    EXPECT_THAT(fault_of(grab), AllOf(HasSubstr("spawns more links than allowed in step 0, callAll walker.grab"), HasSubstr("walker "),
                                      HasSubstr("spawns<LINK, anywhere, MOST>")));
}

TESSERA_ON_EVERY_DEVICE(LinksOfAgents);

} // namespace
} // namespace tessera::test::links_of_agents_test
