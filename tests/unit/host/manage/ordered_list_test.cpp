// optimise: yes
// sanitizers: address, thread
// manageAll of a list in the order of ids, on columns made by hand, against a plain program that goes by places and ids.
#include "device_runtime/thread_pool.hpp"
#include "host/manage/list_launch.hpp"
#include "host/manage/list_settle.hpp"
#include "host/manage/ordered_list.hpp"
#include "kernels/agents/agent_id.hpp"

#include <tessera/random.hpp>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <tuple>
#include <vector>

namespace tessera::test::ordered_list_test {
namespace {

struct World {
    int nx, ny;
    std::size_t room; // for so many agents
    [[nodiscard]] int places() const { return nx * ny; }
};
constexpr World small{40, 20, 3000}; // numbers of places have two digits, and many want children at once
constexpr World large{200, 300, 90000};
constexpr World wide{400, 300, 200000}; // where enough are born and die to be shared out
constexpr std::uint64_t key = 0x1234;
constexpr std::int32_t nowhere = -1, beyond = -2; // no child; a child beyond an edge
constexpr int nothing = 1, dying = 2, going = 3;  // codes of agents whose results nobody asks for: `going` + the number of an offset

struct Agent {
    std::uint64_t id;
    std::int32_t place, member;
    std::uint32_t refused = 0; // children
    friend bool operator==(const Agent&, const Agent&) = default;
};

enum Column { code, id, place, start, target, count, rank_, next, member, request, parent, child, log_, refused, columns };

// The columns of a collection with one member, whose agents want children of their own type; and what a launch is given.
class Herd {
public:
    Herd(int most_on_place, const World& world, int threads) : world_(world), team_(threads), list_(plan(most_on_place, world)) {
        for (const auto& column : {code, count}) data_[column].resize(world.room);
        for (auto column : {id, parent}) data_[column].resize(world.room * 8);
        for (auto column : {place, start, target, rank_, next, member, request, child, log_, refused})
            data_[column].resize((world.room + 1) * 4);
        for (auto& fault : faults_.ids) fault = ~std::uint64_t{0};
    }

    void put(const std::vector<Agent>& agents) {
        for (std::size_t i = 0; i < agents.size(); ++i) {
            as<std::uint8_t>(code)[i] = nothing;
            as<std::uint64_t>(id)[i] = agents[i].id;
            as<std::int32_t>(place)[i] = agents[i].place;
            as<std::int32_t>(member)[i] = agents[i].member;
        }
        as<std::int32_t>(start)[world_.places()] = static_cast<std::int32_t>(agents.size());
        index_list(list_.plan(), as<std::int32_t>(place), as<std::int32_t>(start), as<std::uint8_t>(count), as<std::int32_t>(rank_),
                   as<std::int32_t>(next));
    }
    void ask(std::size_t agent, int wanted, std::int32_t to) {
        as<std::uint8_t>(code)[agent] = static_cast<std::uint8_t>(wanted);
        as<std::int32_t>(target)[agent] = to;
    }
    void want_child(std::size_t agent, std::int32_t on, std::int32_t value) {
        as<std::int32_t>(request)[agent] = on == beyond ? -1 : 1 + on;
        as<std::uint64_t>(parent)[agent] = as<std::uint64_t>(id)[agent];
        as<std::int32_t>(child)[agent] = value;
        auto* const log = as<std::int32_t>(log_);
        log[1 + log[0]++] = static_cast<std::int32_t>(agent);
    }

    void manage(std::uint64_t step) {
        step_ = step;
        for (const auto work : {ListWork::moves, ListWork::births, ListWork::settles}) launch(work);
    }

    [[nodiscard]] std::vector<Agent> agents() {
        std::vector<Agent> all;
        for (std::int32_t i = 0; i < as<std::int32_t>(start)[world_.places()]; ++i)
            all.push_back(
                {as<std::uint64_t>(id)[i], as<std::int32_t>(place)[i], as<std::int32_t>(member)[i], as<std::uint32_t>(refused)[i]});
        return all;
    }
    template<class T> [[nodiscard]] T* as(Column column) { return reinterpret_cast<T*>(data_[column].data()); }
    [[nodiscard]] const agent_counters& counters() const { return counters_; }
    [[nodiscard]] const fault_record& faults() const { return faults_; }

private:
    static ListPlan plan(int most_on_place, const World& world) {
        const auto room = static_cast<std::int64_t>(world.room);
        ListPlan plan;
        plan.size = {world.nx, world.ny, 1};
        plan.rule = {boundary::torus, boundary::torus, boundary::torus};
        plan.place_bits = bits_of_places(world.places());
        plan.room = room;
        plan.most_on_place = most_on_place;
        plan.chains = true;
        const auto at = [&](Column column, int bytes) { return ListColumn{column, bytes, 1, room, 0, 0}; };
        plan.code = at(code, 1), plan.id = at(id, 8), plan.place = at(place, 4), plan.target = at(target, 4);
        plan.rank = at(rank_, 4), plan.next = at(next, 4), plan.start = at(start, 4), plan.count = at(count, 1);
        plan.refused = at(refused, 4);
        plan.members = {at(member, 4)};
        ListSource source;
        source.request = at(request, 4), source.log = at(log_, 4), source.parent = at(parent, 8);
        source.refused = at(refused, 4);
        source.members = {at(child, 4)};
        source.parents = room;
        source.order = 1, source.phase = 1;
        plan.sources = {source};
        plan.births = {{2, 1, 0, 0xffffffff}};
        plan.columns = columns;
        return plan;
    }
    void launch(ListWork work) {
        struct {
            ListCall call;
            agent_arguments<columns> arguments;
        } all{};
        all.call = {&list_, work};
        all.arguments.first_step = &step_;
        for (int c = 0; c < columns; ++c) all.arguments.in[c] = all.arguments.out[c] = data_[c].data();
        all.arguments.random_key[0] = key;
        all.arguments.faults = &faults_;
        all.arguments.counters = &counters_;
        all.arguments.phase = 2;
        OrderedList::run(&all, team_);
    }

    const World world_;
    ThreadPool team_;
    OrderedList list_;
    std::vector<std::byte> data_[columns];
    std::uint64_t step_ = 0;
    fault_record faults_{};
    agent_counters counters_{};
};

// What a step asks of each agent: a code, and whether it wants a child, and where.
struct Asked {
    int wanted = nothing;
    std::int32_t child_on = nowhere;
};

std::int32_t beside(const World& world, std::int32_t from, int offset) {
    const auto [nx, ny, room] = world;
    const int x = (from % nx + offset % 3 - 1 + nx) % nx, y = (from / nx + offset / 3 - 1 + ny) % ny;
    return y * nx + x;
}

// The rules of docs/sdk.md, said once more: places are free for as many as do not stay, the first by priority come, and children are born
// behind those who have moved, in the order of their parents' priorities.
std::vector<Agent> managed(const World& world, const std::vector<Agent>& before, const std::vector<Asked>& asked, int most,
                           std::uint64_t step) {
    const auto priority = [&](std::uint64_t of) { return mix64(of ^ mix64(key + step)); };
    std::map<std::int32_t, int> stand;
    std::map<std::int32_t, std::vector<std::size_t>> come;
    for (std::size_t i = 0; i < before.size(); ++i) {
        if (asked[i].wanted != dying) ++stand[before[i].place];
        if (asked[i].wanted >= going) come[beside(world, before[i].place, asked[i].wanted - going)].push_back(i);
    }
    auto after = before;
    for (auto& agent : after) agent.refused = 0;
    std::map<std::int32_t, int> alive;
    for (auto& [to, who] : come) {
        std::sort(who.begin(), who.end(), [&](auto a, auto b) { return priority(before[a].id) < priority(before[b].id); });
        for (std::size_t r = 0; r < who.size() && (most == 0 || static_cast<int>(r) < most - stand[to]); ++r) after[who[r]].place = to;
    }
    for (std::size_t i = 0; i < before.size(); ++i)
        if (asked[i].wanted != dying) ++alive[after[i].place];
    std::map<std::int32_t, std::vector<std::size_t>> children;
    for (std::size_t i = 0; i < before.size(); ++i)
        if (asked[i].child_on >= 0)
            children[asked[i].child_on].push_back(i);
        else if (asked[i].child_on == beyond)
            ++after[i].refused;
    std::vector<Agent> born;
    for (auto& [on, parents] : children) {
        std::sort(parents.begin(), parents.end(), [&](auto a, auto b) { return priority(before[a].id) < priority(before[b].id); });
        for (std::size_t r = 0; r < parents.size(); ++r)
            if (most == 0 || static_cast<int>(r) < most - alive[on])
                born.push_back({agent_id(1 + step, static_cast<std::uint64_t>(on), r + 1, bits_of_places(world.places())), on,
                                1000 + before[parents[r]].member});
            else
                ++after[parents[r]].refused;
    }
    std::vector<Agent> all;
    for (std::size_t i = 0; i < before.size(); ++i)
        if (asked[i].wanted != dying) all.push_back(after[i]);
    all.insert(all.end(), born.begin(), born.end());
    return all;
}

void expect_indexed(Herd& herd, const World& world) {
    std::map<std::int32_t, std::vector<std::int32_t>> of_place;
    const auto all = herd.agents();
    for (std::size_t i = 0; i < all.size(); ++i) of_place[all[i].place].push_back(static_cast<std::int32_t>(i));
    for (std::int32_t p = 0; p < world.places(); ++p) {
        const auto& here = of_place[p];
        ASSERT_EQ(herd.as<std::uint8_t>(count)[p], here.size()) << "place " << p;
        auto chained = herd.as<std::int32_t>(start)[p];
        for (std::size_t r = 0; r < here.size(); ++r, chained = herd.as<std::int32_t>(next)[chained]) {
            ASSERT_EQ(chained, here[r]) << "place " << p;
            ASSERT_EQ(herd.as<std::int32_t>(rank_)[here[r]], r) << "place " << p;
        }
        ASSERT_EQ(chained, -1) << "place " << p;
    }
}

// In each step one in so many agents; 0: none.
struct Habits {
    int goes, dies, bears;
};

// An agent a place at first, or one on each second.
void expect_managed_as_by_a_plain_program(const World& world, int most, const Habits& habits, int threads, std::uint64_t steps) {
    std::minstd_rand dice(static_cast<unsigned>(7 + most * 10 + habits.goes));
    const auto one_in = [&](int n) { return n > 0 && static_cast<int>(dice() % static_cast<unsigned>(n)) == 0; };
    Herd herd(most, world, threads);
    std::vector<Agent> expected;
    for (std::int32_t p = 0; p < world.places(); p += most == 1 && threads == 1 ? 2 : 1)
        expected.push_back({agent_id(0, static_cast<std::uint64_t>(p), 1, bits_of_places(world.places())), p, p});
    herd.put(expected);
    for (std::uint64_t step = 0; step < steps; ++step) {
        std::vector<Asked> asked(expected.size());
        for (std::size_t i = 0; i < asked.size(); ++i) {
            if (one_in(habits.goes)) asked[i].wanted = going + std::vector{0, 1, 2, 3, 5, 6, 7, 8}[dice() % 8];
            if (one_in(habits.dies)) asked[i].wanted = dying;
            if (expected.size() < world.room * 3 / 4 && one_in(habits.bears))
                asked[i].child_on = one_in(50) ? beyond : beside(world, expected[i].place, static_cast<int>(dice() % 9));
            herd.ask(i, asked[i].wanted, asked[i].wanted >= going ? beside(world, expected[i].place, asked[i].wanted - going) : beyond);
            if (asked[i].child_on != nowhere) herd.want_child(i, asked[i].child_on, 1000 + expected[i].member);
        }
        expected = managed(world, expected, asked, most, step);
        herd.manage(step);
        ASSERT_TRUE(herd.agents() == expected) << "step " << step;
        ASSERT_TRUE(std::is_sorted(expected.begin(), expected.end(), [](const Agent& a, const Agent& b) { return a.id < b.id; }));
        ASSERT_NO_FATAL_FAILURE(expect_indexed(herd, world)) << "step " << step;
    }
    EXPECT_GT(herd.counters().moved, 0);
    EXPECT_EQ(herd.counters().died > 0, habits.dies > 0);
    EXPECT_EQ(herd.counters().born > 0, habits.bears > 0);
    EXPECT_EQ(herd.counters().refused_moves > 0, most > 0);
    EXPECT_EQ(herd.counters().refused_births > 0, habits.bears > 0);
}

class OrderedLists : public ::testing::TestWithParam<std::tuple<int, int>> {};

TEST_P(OrderedLists, AreManagedAsAPlainProgramDoes) {
    const auto [most, busy] = GetParam();
    expect_managed_as_by_a_plain_program(small, most, {busy, 6 * busy, 4 * busy}, 1, 60);
}
// As walkers do, on places with room for all of them, or not.
TEST_P(OrderedLists, OfWhomAllGoSomewhere) {
    const auto [most, times] = GetParam();
    expect_managed_as_by_a_plain_program(small, most, {1, 0, 0}, 1, 20 * static_cast<std::uint64_t>(times));
}
INSTANTIATE_TEST_SUITE_P(Capacities, OrderedLists, ::testing::Combine(::testing::Values(0, 1, 2, 3), ::testing::Values(1, 3, 12)));

// Where there are enough to be shared out.
class LongOrderedLists : public ::testing::TestWithParam<std::tuple<int, int, int>> {};

TEST_P(LongOrderedLists, AreManagedAsAPlainProgramDoesByAnyNumberOfThreads) {
    const auto [most, busy, threads] = GetParam();
    expect_managed_as_by_a_plain_program(large, most, {busy, 6 * busy, 4 * busy}, threads, 3);
}
TEST_P(LongOrderedLists, OfWhichManyAreBornAndDie) {
    const auto [most, busy, threads] = GetParam();
    expect_managed_as_by_a_plain_program(wide, most, {busy, 2, 2}, threads, 2);
}
INSTANTIATE_TEST_SUITE_P(Threads, LongOrderedLists,
                         ::testing::Values(std::tuple{0, 1, 3}, std::tuple{1, 3, 2}, std::tuple{2, 1, 5}, std::tuple{3, 12, 4}));

TEST(OrderedList, ThatOutgrowsItsRoomSaysForHowManyAndChangesNothing) {
    const int places = small.places(), room = static_cast<int>(small.room);
    Herd herd(0, small, 1);
    std::vector<Agent> full;
    for (std::int32_t i = 0; i < room; ++i)
        full.push_back(
            {agent_id(0, static_cast<std::uint64_t>(i % places), static_cast<std::uint64_t>(i / places) + 1, bits_of_places(places)),
             i % places, i});
    std::sort(full.begin(), full.end(), [](const Agent& a, const Agent& b) { return a.id < b.id; });
    herd.put(full);
    herd.want_child(3, 0, 5);
    herd.manage(0);
    EXPECT_EQ(herd.faults().ids[outgrows_room], room + 1);
    EXPECT_EQ(herd.agents(), full);
}

} // namespace
} // namespace tessera::test::ordered_list_test
