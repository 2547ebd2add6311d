// Functions of links, and links that are born and die, against a plain program of the letter.
// optimise: yes
#include "host/outputs/result_folder.hpp"
#include "host/outputs/state_rows.hpp"
#include "host/world/link_lists.hpp"
#include "host/world/outgrown_room.hpp"
#include "tests/conformance/philox.hpp"
#include "tests/support/known_run.hpp"
#include "tests/support/states.hpp"
#include "tests/support/temporary_folder.hpp"
#include "tests/support/thorough.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <map>
#include <sstream>
#include <tuple>

namespace tessera::test::changing_links_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

struct Tied { // of either kind
    std::int64_t from = 0, to = 0;
    std::int64_t load = 0;
    float tension = 1;
    std::array<std::int16_t, 2> marks{};

    [[nodiscard]] auto order() const { return std::tuple(to, from); }
    friend bool operator==(const Tied& a, const Tied& b) {
        return std::tie(a.from, a.to, a.load, a.tension, a.marks) == std::tie(b.from, b.to, b.load, b.tension, b.marks);
    }
};
void PrintTo(const Tied& link, std::ostream* out) { *out << fmt::format("{} - {}, load {}", link.from, link.to, link.load); }
using Ties = std::vector<Tied>;

struct Fate {
    std::uint64_t born = 0, died = 0, refused = 0;
};

// The letter: kills, then children in the order in which they are served; one whose ends are joined already, or are one place, is refused
// unless that is allowed. By where they lead to and come from, those that are older first.
void manage(Ties& links, const std::vector<char>& dying, Ties wishes, bool directed, bool parallel, bool loops, Fate& fate) {
    Ties left;
    for (std::size_t i = 0; i < links.size(); ++i) {
        if (dying[i] == 0) left.push_back(links[i]);
        fate.died += dying[i] != 0 ? 1 : 0;
    }
    for (auto& wish : wishes) {
        if (!directed && wish.from > wish.to) std::swap(wish.from, wish.to);
        const bool is_there = std::any_of(left.begin(), left.end(), [&](const Tied& link) { return link.order() == wish.order(); });
        if ((is_there && !parallel) || (wish.from == wish.to && !loops && !directed)) {
            ++fate.refused;
            continue;
        }
        ++fate.born;
        left.push_back(wish);
    }
    std::stable_sort(left.begin(), left.end(), [](const Tied& a, const Tied& b) { return a.order() < b.order(); });
    links = std::move(left);
}

// tests/models/knots, as plain loops.
class Knots {
public:
    std::vector<std::int32_t> knots, pegs; // their values
    std::vector<std::int64_t> knots_seen, pegs_seen;
    Ties ties, lines;
    Fate of_ties, of_lines;
    bool parallel = false, loops = false;
    std::uint64_t seed = 1;

    void step(std::uint64_t k) {
        strain(k);
        const auto ends = endings(k);
        auto wished = wished_ties(k);
        Ties hung;
        for (std::size_t p = 0; p < pegs.size(); ++p)
            hung.push_back({at(p), Stream(key("peg.hang"), p, k).below(5), static_cast<std::int64_t>(k)});
        for (std::size_t i = 0; i < knots.size(); ++i) {
            Stream stream(key("knot.hang"), i, k);
            hung.push_back({stream.below(3), at(i), -1});
            const std::int64_t from = stream.below(3), to = stream.below(3);
            wished.push_back({from, to, -1});
        }
        manage(ties, ends[0], wished, false, parallel, loops, of_ties);
        manage(lines, ends[1], hung, true, parallel, true, of_lines);
        look();
    }

    void strain_and_look(std::uint64_t k) {
        strain(k);
        look();
    }

private:
    static std::int64_t at(std::size_t i) { return static_cast<std::int64_t>(i); }
    [[nodiscard]] std::uint64_t key(const std::string& function) const { return key_of(seed, function, 0); }
    // Of a link: behind the first of the same ends another key.
    [[nodiscard]] Stream stream_of(const std::string& function, const Ties& links, std::size_t i, std::uint64_t k) const {
        std::uint64_t rank = 0;
        while (rank < i && links[i - rank - 1].order() == links[i].order()) ++rank;
        return {rank == 0 ? key(function) : mixed(key(function) + rank),
                (static_cast<std::uint64_t>(links[i].from) << 31) + static_cast<std::uint64_t>(links[i].to), k};
    }

    void strain(std::uint64_t k) {
        for (std::size_t i = 0; i < ties.size(); ++i) {
            auto& tie = ties[i];
            auto stream = stream_of("tie.strain", ties, i, k);
            tie.load += knots[static_cast<std::size_t>(tie.from)] - 2 * knots[static_cast<std::size_t>(tie.to)] + 3 * tie.from + tie.to;
            const float first = stream.uniform(), second = stream.uniform();
            tie.tension = first + 0.5f * second;
            tie.marks[1] = static_cast<std::int16_t>(tie.marks[1] + static_cast<std::int64_t>(k) + 1);
        }
        for (std::size_t i = 0; i < lines.size(); ++i)
            lines[i].load += pegs[static_cast<std::size_t>(lines[i].from)] - 2 * knots[static_cast<std::size_t>(lines[i].to)] +
                             std::int64_t{stream_of("line.strain", lines, i, k).below(10)};
    }
    [[nodiscard]] std::array<std::vector<char>, 2> endings(std::uint64_t k) const {
        std::array<std::vector<char>, 2> ends;
        for (std::size_t i = 0; i < ties.size(); ++i) ends[0].push_back(stream_of("tie.part", ties, i, k).uniform() < 0.3f ? 1 : 0);
        for (const auto& line : lines) ends[1].push_back(line.load % 3 == 0 ? 1 : 0);
        return ends;
    }
    [[nodiscard]] Ties wished_ties(std::uint64_t k) const {
        Ties wished;
        for (std::size_t i = 0; i < knots.size(); ++i) {
            if (std::count_if(ties.begin(), ties.end(), [&](const Tied& tie) { return tie.from == at(i) || tie.to == at(i); }) > 40)
                continue;
            Stream stream(key("knot.tie"), i, k);
            const int wanted = static_cast<int>(stream.below(4));
            for (int w = 0; w < wanted; ++w) {
                const auto one = stream.below(knots.size());
                const std::int64_t other = stream.below(2) == 0 ? one : 1;
                wished.push_back({at(i), other, at(i) * 10 + w, 2, {static_cast<std::int16_t>(w), 7}});
            }
        }
        return wished;
    }
    void look() {
        const auto values = knots;
        const auto see = [](std::int64_t& seen, std::int64_t other, std::int64_t value, std::int64_t rest) {
            seen = (seen * 31 + other + 7 * value + rest) % 1000003;
        };
        for (std::size_t i = 0; i < knots.size(); ++i) {
            std::vector<std::pair<std::int64_t, const Tied*>> others;
            for (const auto& tie : ties)
                if (tie.from == at(i) || tie.to == at(i)) others.emplace_back(tie.from == at(i) ? tie.to : tie.from, &tie);
            std::stable_sort(others.begin(), others.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
            for (const auto& [other, tie] : others)
                see(knots_seen[i], other, values[static_cast<std::size_t>(other)], tie->load + tie->marks[1]);
            for (const auto& line : lines)
                if (line.to == at(i)) see(knots_seen[i], line.from, pegs[static_cast<std::size_t>(line.from)], line.load);
            knots[i] = static_cast<std::int32_t>(knots_seen[i] % 100);
        }
        for (std::size_t p = 0; p < pegs.size(); ++p) {
            for (const auto& line : lines)
                if (line.from == at(p)) see(pegs_seen[p], line.to, knots[static_cast<std::size_t>(line.to)], line.load);
            pegs[p] = static_cast<std::int32_t>(pegs_seen[p] % 10);
        }
    }
};

// As the run has them.
enum class Members { of_ties, of_lines, none };
Ties links_of(const WorldUnderTest& world, const std::string& name, Members members) {
    const auto& setup = world.setup();
    const auto id = require_collection(setup, name, {});
    const auto& simulation = world.simulation();
    const auto there = links_there(setup, id, [&](ColumnId column, int element, const PlaceRange& range, std::byte* into) {
        simulation.state().read(column, element, range, into);
    });
    const auto first = setup.column_of(id, Role::link_end);
    const auto from = simulation.read(first), to = simulation.read(ColumnId(first.index() + 1));
    Ties all(static_cast<std::size_t>(there));
    for (std::size_t i = 0; i < all.size(); ++i) all[i].from = from.data<std::int32_t>()[i], all[i].to = to.data<std::int32_t>()[i];
    if (members == Members::none) return all;
    if (members == Members::of_lines) {
        const auto load = world.values<std::int32_t>(name, "load");
        for (std::size_t i = 0; i < all.size(); ++i) all[i].load = load[i];
        return all;
    }
    const auto load = world.values<std::int64_t>(name, "load");
    const auto tension = world.values<float>(name, "tension");
    const auto marks = world.values<std::int16_t>(name, "marks"); // a plane an element
    for (std::size_t i = 0; i < all.size(); ++i) {
        all[i].load = load[i], all[i].tension = tension[i];
        all[i].marks = {marks[i], marks[marks.size() / 2 + i]};
    }
    return all;
}

void expect_same_links(const WorldUnderTest& world, const Knots& knots) {
    ASSERT_EQ(links_of(world, "tie", Members::of_ties), knots.ties);
    ASSERT_EQ(links_of(world, "line", Members::of_lines), knots.lines);
    for (const auto& [name, fate] : {std::pair("tie", &knots.of_ties), std::pair("line", &knots.of_lines)}) {
        const auto counts = world.simulation().counters(require_collection(world.setup(), name, {}));
        ASSERT_EQ(counts.born, fate->born) << name;
        ASSERT_EQ(counts.died, fate->died) << name;
        ASSERT_EQ(counts.refused_births, fate->refused) << name;
    }
    ASSERT_EQ(world.values<std::int64_t>("knot", "seen"), knots.knots_seen);
    ASSERT_EQ(world.values<std::int64_t>("peg", "seen"), knots.pegs_seen);
}

constexpr std::size_t knot_count = 30, peg_count = 7;

std::vector<std::string> keys_of(bool parallel, bool loops, std::uint64_t seed) {
    return {fmt::format("run.seed={}", seed),
            "places.knot.init.value={random=\"below\",n=50}",
            "places.peg.init.value={random=\"below\",n=50}",
            "links.tie.generate={rule=\"random\",links=60}",
            fmt::format("links.tie.parallel={}", parallel),
            fmt::format("links.tie.loops={}", loops),
            "links.line.generate={rule=\"random\",links=40}",
            fmt::format("links.line.parallel={}", parallel)};
}

Knots beginning(const WorldUnderTest& world, bool parallel, bool loops, std::uint64_t seed) {
    Knots knots;
    knots.parallel = parallel, knots.loops = loops, knots.seed = seed;
    knots.knots = world.values<std::int32_t>("knot", "value"), knots.pegs = world.values<std::int32_t>("peg", "value");
    knots.knots_seen.assign(knot_count, 0), knots.pegs_seen.assign(peg_count, 0);
    knots.ties = links_of(world, "tie", Members::of_ties), knots.lines = links_of(world, "line", Members::of_lines);
    return knots;
}

// Their manageAll is compiled with the program where one CPU makes the run, else with the model: "kernels" is that on a CPU.
class ChangingLinks : public ::testing::TestWithParam<std::string> {
protected:
    [[nodiscard]] static bool are_kernels_of_cpu() { return GetParam() == "kernels"; }
    [[nodiscard]] static Options on_this() {
        Options options{are_kernels_of_cpu() ? "cpu" : GetParam(), usable_threads(), {}};
        options.for_any_devices = are_kernels_of_cpu();
        return options;
    }
};
std::vector<std::string> ways_to_change() {
    auto ways = devices();
    ways.insert(ways.begin(), "kernels");
    return ways;
}
INSTANTIATE_TEST_SUITE_P(Devices, ChangingLinks, ::testing::ValuesIn(ways_to_change()), device_test_name);

// Both sides, loops, links that come twice, and a hub; 4000 manageAlls of each kind in a thorough run.
TEST_P(ChangingLinks, AreThoseOfTheLetter) {
    const std::uint64_t steps = thorough() ? 500 : 8;
    for (const bool parallel : {false, true})
        for (const bool loops : {false, true})
            for (std::uint64_t seed = 1; seed <= (thorough() ? 2u : 1u); ++seed) {
                if (are_kernels_of_cpu() && parallel == loops && !thorough()) continue; // each is compiled
                WorldUnderTest world(test_model("knots"), keys_of(parallel, loops, seed), on_this());
                auto knots = beginning(world, parallel, loops, seed);
                for (std::uint64_t k = 0; k < steps; ++k) {
                    knots.step(k);
                    world.step_to(k + 1);
                    ASSERT_NO_FATAL_FAILURE(expect_same_links(world, knots))
                        << "step " << k << ", parallel " << parallel << ", loops " << loops;
                }
                EXPECT_GT(knots.of_ties.born, 0u);
                EXPECT_EQ(knots.of_ties.refused == 0, parallel && loops);
                EXPECT_EQ(knots.of_lines.refused == 0, parallel);
            }
}

// The ties as a table has them.
Ties ties_in(const std::filesystem::path& path) {
    std::ifstream lines(path);
    std::string line;
    std::getline(lines, line);
    EXPECT_EQ(line, "from,to,load,tension,marks[0],marks[1]");
    Ties ties;
    while (std::getline(lines, line)) {
        std::replace(line.begin(), line.end(), ',', ' ');
        std::istringstream fields(line);
        auto& tie = ties.emplace_back();
        fields >> tie.from >> tie.to >> tie.load >> tie.tension >> tie.marks[0] >> tie.marks[1];
        EXPECT_FALSE(fields.fail()) << line;
    }
    return ties;
}

// Where there is memory for more of them than there are.
TEST_P(ChangingLinks, StandInFilesAsTheyAre) {
    TemporaryFolder folder;
    WorldUnderTest world(test_model("knots"), keys_of(true, true, 5), on_this());
    auto knots = beginning(world, true, true, 5);
    ThreadPool pool(1);
    StateView state(world.simulation().state(), pool);
    const auto results = claim_result_folder(folder.path() / "out", false);
    for (std::uint64_t k = 0; k < 6; ++k) {
        knots.step(k);
        world.step_to(k + 1);
        state.turn_to(world.simulation().state());
        const auto name = fmt::format("ties-{}.csv", k);
        write_rows_csv(results.place(name), link_rows(world.setup(), require_collection(world.setup(), "tie", {}), state));
        ASSERT_EQ(ties_in(results.path() / name), knots.ties) << "step " << k;
    }
    EXPECT_GT(knots.of_ties.died, 0U);
}

// Several threads make the same, and a state goes on from a snapshot.
TEST_P(ChangingLinks, GoOnFromASnapshot) {
    const auto keys = keys_of(false, true, 3);
    WorldUnderTest whole(test_model("knots"), keys, on_this()), threads(test_model("knots"), keys, {"cpu", 3});
    whole.step_to(5);
    const auto snapshot = whole.simulation().snapshot();
    whole.step_to(9);
    threads.step_to(9);
    EXPECT_EQ(threads.hash(), whole.hash());
    const auto device = open_device(on_this().device, 1);
    ThreadPool pool(1);
    Simulation simulation(whole.setup(), {device.get()}, compiler(), pool, {}, &snapshot);
    simulation.advance(9, [](std::uint64_t) { return true; });
    EXPECT_EQ(simulation.hash(), whole.hash());
    const auto tie = require_collection(whole.setup(), "tie", {});
    EXPECT_EQ(simulation.counters(tie).born, whole.simulation().counters(tie).born);
    EXPECT_EQ(simulation.population(tie), links_of(whole, "tie", Members::of_ties).size());
}

// All of them die, and others are born from none.
TEST_P(ChangingLinks, MayAllDie) {
    WorldUnderTest world(test_model("knots"),
                         {"links.tie.generate={rule=\"random\",links=30}", "params.breaks=1",
                          "phase=[{callAll=\"tie.part\"},{callAll=\"peg.hang\"},{manageAll=\"*\"},{callAll=\"knot.look\"}]"},
                         on_this());
    world.step_to(2);
    EXPECT_EQ(links_of(world, "tie", Members::of_ties), Ties{});
    EXPECT_NE(world.hash(), 0u);
    const auto snapshot = world.simulation().snapshot();
    world.step_to(3);
    const auto device = open_device(on_this().device, 1);
    ThreadPool pool(1);
    Simulation simulation(world.setup(), {device.get()}, compiler(), pool, {}, &snapshot);
    simulation.advance(3, [](std::uint64_t) { return true; });
    EXPECT_EQ(simulation.hash(), world.hash());
}

std::string fault_of(const std::string& phase, const Options& options) {
    WorldUnderTest world(test_model("knots"), {"phase=[{callAll=\"" + phase + "\"},{manageAll=\"tie\"}]"}, options);
    try {
        world.step_to(2);
    } catch (const Error& error) {
        return error.what();
    }
    return "";
}

TEST_P(ChangingLinks, SayWhatWasAskedInVain) {
    EXPECT_THAT(fault_of("knot.stray", on_this()),
                AllOf(HasSubstr("knot on place 4 spawns a link that leads to no place in step 0, callAll knot.stray"),
                      HasSubstr("the places of knot have numbers from 0 to 29")));
    EXPECT_THAT(fault_of("knot.grab", on_this()),
                AllOf(HasSubstr("knot on place 3 spawns more links than allowed in step 0, callAll knot.grab"),
                      HasSubstr("spawns<LINK, anywhere, MOST>")));
}

// They say for how many there is no room, and change nothing.
TEST_P(ChangingLinks, OutgrowTheirRoom) {
    WorldUnderTest world(test_model("knots"),
                         {"links.tie.generate={rule=\"random\",links=1}", "links.tie.parallel=true", "links.tie.loops=true",
                          "phase=[{callAll=\"knot.hang\"},{manageAll=\"*\"}]"},
                         on_this());
    try {
        world.step_to(5);
        FAIL() << "120 ties have room";
    } catch (const OutgrownRoom& error) {
        EXPECT_THAT(error.what(), HasSubstr("there is no room for 121 links of tie or line in step 3, manageAll *"));
        EXPECT_EQ(error.wanted(world.setup(), require_collection(world.setup(), "tie", {})), 121u);
    }
    EXPECT_EQ(links_of(world, "tie", Members::none).size(), 91u);
}

// Children of more than a block sorts, most of which go to one place, and come between links in the middle of its list.
TEST_P(ChangingLinks, AreSortedInRunsThatAreMerged) {
    WorldUnderTest world(test_model("hub"), {"run.seed=3"}, on_this());
    std::map<std::pair<std::int64_t, std::int64_t>, std::int64_t> letter; // by target and source: who is there
    for (const auto& link : links_of(world, "spoke", Members::none)) letter.emplace(std::pair(link.to, link.from), 0);
    Fate fate;
    for (std::uint64_t k = 0; k < 3; ++k) {
        world.step_to(k + 1);
        fate.died += static_cast<std::uint64_t>(std::erase_if(letter, [&](const auto& link) {
            return static_cast<std::uint64_t>(link.first.first + link.first.second) % 5 == k; // as Spoke::part says
        }));
        for (std::int64_t rim = 0; rim < 5000; ++rim)
            for (const std::int64_t other : {std::int64_t{7}, rim * 31 % 5000})
                ++(letter.emplace(std::pair(other, rim), static_cast<std::int64_t>(k) + 1).second ? fate.born : fate.refused);
        Ties expected;
        for (const auto& [ends, since] : letter) expected.push_back({ends.second, ends.first, since});
        auto there = links_of(world, "spoke", Members::none);
        const auto since = world.values<std::int32_t>("spoke", "since");
        for (std::size_t i = 0; i < there.size(); ++i) there[i].load = since[i];
        ASSERT_EQ(there, expected) << "step " << k;
        for (auto [seen, in] : {std::pair("heard", true), std::pair("told", false)}) { // what places see along both lists
            std::vector<std::int64_t> sums(5000);
            for (const auto& link : expected)
                sums[static_cast<std::size_t>(in ? link.to : link.from)] += (in ? link.from : link.to) + 10000 * link.load;
            ASSERT_EQ(world.values<std::int64_t>("rim", seen), sums) << seen;
        }
    }
    const auto counts = world.counters("spoke");
    EXPECT_EQ(counts.born, fate.born);
    EXPECT_EQ(counts.died, fate.died);
    EXPECT_EQ(counts.refused_births, fate.refused);
    EXPECT_GT(fate.refused, 0u);
}

// ---- opinions

double mean_by_degree(const WorldUnderTest& world, const Ties& links) {
    const auto opinion = world.values<float>("person", "opinion");
    double sum = 0;
    for (const auto& link : links)
        sum += double{opinion[static_cast<std::size_t>(link.from)]} + double{opinion[static_cast<std::size_t>(link.to)]};
    return sum / static_cast<double>(2 * links.size());
}
Ties friendships(const WorldUnderTest& world) { return links_of(world, "friend", Members::none); }

// Who listens to all friends and leaves none: the mean of all, each with the number of friends, stays and is what all come to.
TEST_P(ChangingLinks, KeepTheMeanOfOpinionsWhereNobodyParts) {
    WorldUnderTest world(plugin("opinion"), {"params={confidence=1, parting=0, enough=0}", "run.seed=2"}, on_this());
    const auto mean = mean_by_degree(world, friendships(world));
    for (const std::uint64_t step : {10u, 200u}) {
        world.step_to(step);
        EXPECT_NEAR(mean_by_degree(world, friendships(world)), mean, 1e-4);
    }
    for (const auto opinion : world.values<float>("person", "opinion")) ASSERT_NEAR(opinion, mean, 1e-3);
}

// Opinions stay within those that there were at first; born less died are there; in the end friends agree, and groups do not.
TEST_P(ChangingLinks, LetPeopleWhoDifferPart) {
    WorldUnderTest world(plugin("opinion"), {"params.confidence=0.1", "run.seed=5"}, on_this());
    const auto friends = require_collection(world.setup(), "friend", {});
    const auto first = world.values<float>("person", "opinion");
    const auto [low, high] = std::minmax_element(first.begin(), first.end());
    const auto there = friendships(world).size();
    for (const std::uint64_t step : {5u, 50u, 300u}) {
        world.step_to(step);
        for (const auto opinion : world.values<float>("person", "opinion")) ASSERT_TRUE(opinion >= *low && opinion <= *high);
        const auto counts = world.simulation().counters(friends);
        ASSERT_EQ(friendships(world).size(), there + counts.born - counts.died);
        ASSERT_GT(counts.died, 0u);
    }
    const auto opinion = world.values<float>("person", "opinion");
    const auto links = friendships(world);
    const auto apart = std::count_if(links.begin(), links.end(), [&](const Tied& link) {
        return std::abs(opinion[static_cast<std::size_t>(link.from)] - opinion[static_cast<std::size_t>(link.to)]) > 0.1f;
    });
    EXPECT_LT(apart, static_cast<std::ptrdiff_t>(links.size() / 5));
    const auto [lowest, highest] = std::minmax_element(opinion.begin(), opinion.end());
    EXPECT_GT(*highest - *lowest, 0.3f);
}

// plugins/opinion, as plain loops: `load` of a friendship is when it began.
void step_opinions(std::vector<float>& opinions, Ties& friends, std::uint64_t k, Fate& fate) {
    constexpr float confidence = 0.25f, parting = 0.1f;
    constexpr int enough = 8;
    const auto apart = [&](std::int64_t a, std::int64_t b) {
        return std::abs(opinions[static_cast<std::size_t>(a)] - opinions[static_cast<std::size_t>(b)]);
    };
    std::vector<std::vector<std::int64_t>> of(opinions.size());
    for (const auto& tie : friends) {
        of[static_cast<std::size_t>(tie.from)].push_back(tie.to);
        of[static_cast<std::size_t>(tie.to)].push_back(tie.from);
    }
    auto heard = opinions;
    for (std::size_t i = 0; i < of.size(); ++i) {
        std::sort(of[i].begin(), of[i].end());
        int near = 0;
        float pull = 0;
        for (const auto other : of[i]) {
            if (apart(other, static_cast<std::int64_t>(i)) > confidence) continue;
            ++near, pull += opinions[static_cast<std::size_t>(other)] - opinions[i];
        }
        if (near > 0) heard[i] += 0.5f * pull / static_cast<float>(near);
    }
    opinions = heard;
    std::vector<char> dying;
    for (const auto& tie : friends) {
        const auto id = (static_cast<std::uint64_t>(tie.from) << 31) + static_cast<std::uint64_t>(tie.to);
        dying.push_back(apart(tie.from, tie.to) > confidence && Stream(key_of(1, "friend.part", 0), id, k).uniform() < parting ? 1 : 0);
    }
    Ties wished;
    for (std::size_t i = 0; i < of.size(); ++i)
        if (of[i].size() < enough) {
            const std::int64_t other = Stream(key_of(1, "person.befriend", 0), i, k).below(of.size());
            wished.push_back({static_cast<std::int64_t>(i), other, static_cast<std::int64_t>(k)});
        }
    manage(friends, dying, wished, false, false, false, fate);
}

TEST_P(ChangingLinks, OfDoctorAreKnown) {
    const auto& known = known_run("links that change");
    WorldUnderTest world(plugin(known.model), known.overrides, on_this());
    auto opinions = world.values<float>("person", "opinion");
    auto friends = links_of(world, "friend", Members::none);
    Fate fate;
    for (std::uint64_t k = 0; k < known.steps; ++k) step_opinions(opinions, friends, k, fate);
    world.step_to(known.steps);
    EXPECT_EQ(world.values<float>("person", "opinion"), opinions);
    auto there = links_of(world, "friend", Members::none);
    const auto since = world.values<std::int32_t>("friend", "since");
    for (std::size_t i = 0; i < there.size(); ++i) there[i].load = since[i];
    EXPECT_EQ(there, friends);
    EXPECT_GT(fate.born, 100u);
    EXPECT_GT(fate.died, 100u);
    expect_known(world, known);
}

// ---- functions of links that stay

class LinkFunctions : public OnDevice {};

// What they write is what functions of places read along the links behind them.
TEST_P(LinkFunctions, AreCalledOnceForEachLink) {
    WorldUnderTest world(
        test_model("knots"),
        [] {
            auto keys = keys_of(true, true, 5);
            keys.push_back("phase=[{callAll=\"tie.strain\"},{callAll=\"line.strain\"},{callAll=\"knot.look\"},{callAll=\"peg.look\"}]");
            return keys;
        }(),
        on_this());
    auto knots = beginning(world, true, true, 5);
    for (std::uint64_t k = 0; k < 4; ++k) {
        knots.strain_and_look(k);
        world.step_to(k + 1);
        ASSERT_NO_FATAL_FAILURE(expect_same_links(world, knots)) << "step " << k;
    }
}
TESSERA_ON_EVERY_DEVICE(LinkFunctions);

} // namespace
} // namespace tessera::test::changing_links_test
