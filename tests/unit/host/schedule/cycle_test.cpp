// How many rows a cycle copies and makes, where partitions have memory of their own.
#include "host/prepare/prepare.hpp"
#include "host/schedule/cycle.hpp"
#include "host/schedule/schedule.hpp"
#include "jit/cache.hpp"
#include "tests/support/stripes.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

namespace tessera::cycle_test {
namespace {

using ::testing::ElementsAre;

class Cycle : public ::testing::Test {
protected:
    // The tasks of so many steps of a shipped model on two devices.
    std::vector<Task> tasks(const std::string& model, std::vector<std::string> keys, std::uint64_t steps,
                            std::vector<std::size_t> islands = {}) {
        prepared_ = prepare({test_shipped("plugins/" + model + "/" + model + ".cu").string(), std::move(keys), {}}, compiler_);
        const auto& bound = prepared_.setup;
        auto distribution = test::in_own_memory(bound, divided(bound, 2), steps, steps);
        distribution.islands = std::move(islands);
        const auto setup = arranged(bound, std::move(distribution));
        Placement placement;
        for (const auto column : setup.columns.ids()) {
            placement.current.push_back(static_cast<int>(column.index()));
            placement.spare.push_back(setup[column].has_spare ? static_cast<int>(100 + column.index()) : Placement::none);
        }
        std::vector<Task> all;
        for (std::uint64_t step = 0; step < steps; ++step)
            for (const auto phase : setup.phases.ids()) Schedule(setup).append_phase(phase, step, step, placement, all);
        make_cycle(setup, all, 0);
        return all;
    }
    // The rows that a partition makes, call by call; or, of copies, those that it is sent.
    template<class Work>
    static std::vector<std::pair<std::int64_t, std::int64_t>> rows(const std::vector<Task>& tasks, std::size_t partition) {
        std::vector<std::pair<std::int64_t, std::int64_t>> found;
        for (const auto& task : tasks)
            if (task.partition == partition && std::holds_alternative<Work>(task.work)) found.emplace_back(task.rows.first, task.rows.end);
        return found;
    }

private:
    jit::Cache cache_;
    jit::Compiler compiler_{cache_};
    Prepared prepared_;
};

TEST_F(Cycle, MakesFewerRowsCallByCall) {
    const auto torus = tasks("life", {"places.cell.size=[64,40]", "places.cell.boundary=\"torus\""}, 3);
    EXPECT_THAT(rows<CallWork>(torus, 0), ElementsAre(std::pair(-2, 22), std::pair(-1, 21), std::pair(0, 20)));
    EXPECT_THAT(rows<CopyWork>(torus, 0), ElementsAre(std::pair(-3, 0), std::pair(20, 23)));
    // Beyond an open edge is nothing to make, nor to copy.
    const auto open = tasks("life", {"places.cell.size=[64,40]", "places.cell.boundary=\"open\""}, 3);
    EXPECT_THAT(rows<CallWork>(open, 1), ElementsAre(std::pair(18, 40), std::pair(19, 40), std::pair(20, 40)));
    EXPECT_THAT(rows<CopyWork>(open, 1), ElementsAre(std::pair(17, 20)));
}

// What a mirror repeats of rows that are made is copied behind the call that makes them, for the calls after it.
TEST_F(Cycle, CopiesWhatAMirrorRepeats) {
    const auto mirror = tasks("life", {"places.cell.size=[64,40]", "places.cell.boundary=\"reflect\""}, 2);
    EXPECT_THAT(rows<CallWork>(mirror, 0), ElementsAre(std::pair(0, 21), std::pair(0, 20)));
    EXPECT_THAT(rows<CopyWork>(mirror, 0), ElementsAre(std::pair(-2, -1), std::pair(-1, 0), std::pair(20, 22),
                                                       std::pair(-1, 0))); // the last one behind the first call
}

// The value before the last is read at the place alone, but the rows that are made twice need it too.
TEST_F(Cycle, CopiesColumnsThatNobodyLooksAtFromAfar) {
    const auto wave = tasks("wave2d", {"places.wave.size=[64,40]"}, 2);
    EXPECT_THAT(rows<CallWork>(wave, 0), ElementsAre(std::pair(0, 21), std::pair(0, 20)));
    std::vector<std::int64_t> copied;
    for (const auto& task : wave)
        if (task.partition == 0 && std::holds_alternative<CopyWork>(task.work)) copied.push_back(task.rows.rows());
    std::sort(copied.begin(), copied.end());
    EXPECT_THAT(copied, ElementsAre(1, 2));
}

// The rows of one grid are all of the first device and those of the other of the second: their calls stand beside each other.
TEST_F(Cycle, KeepsCallsOfDifferentGridsApart) {
    const auto torus = "\"torus\"";
    std::vector<std::string> keys{"phase=[{exchangeAll=\"*\"},{callAll=\"north.tick\"},{callAll=\"south.tick\"}]"};
    for (const std::string grid : {"north", "south"}) {
        keys.push_back("places." + grid + ".type=\"cell\"");
        keys.push_back("places." + grid + ".size=[64,40]");
        keys.push_back("places." + grid + ".boundary=" + torus);
    }
    keys.emplace_back("places.north.cuts=[40]");
    keys.emplace_back("places.south.cuts=[0]");
    const auto all = tasks("life", keys, 2);
    for (const std::size_t partition : {0, 1}) {
        EXPECT_THAT(rows<CallWork>(all, partition), ElementsAre(std::pair(-1, 41), std::pair(0, 40))) << partition;
        EXPECT_THAT(rows<CopyWork>(all, partition), ElementsAre(std::pair(-2, 0), std::pair(40, 42))) << partition;
    }
}

TEST_F(Cycle, OfOneStepCopiesWhatIsSeenAndMakesTheStripe) {
    const auto one = tasks("heat2d", {"places.plate.size=[64,40]", "places.plate.boundary=\"fixed\""}, 1);
    EXPECT_THAT(rows<CallWork>(one, 0), ElementsAre(std::pair(0, 20)));
    EXPECT_THAT(rows<CopyWork>(one, 0), ElementsAre(std::pair(20, 21)));
}

// A call along links reads anywhere: each stores what it makes of that with the other too, and makes its own rows alone. Lists of links are
// everybody's own.
TEST_F(Cycle, AlongLinksStoresWithAllThatRead) {
    auto all = tasks("sir_network", {"places.person.count=5000", "links.contact.generate={rule=\"regular\",degree=4}"}, 2);
    order_by_touches(all);
    for (const std::size_t partition : {0, 1}) {
        const auto own = partition == 0 ? std::pair(0, 3) : std::pair(3, 5);
        EXPECT_THAT(rows<CallWork>(all, partition), ElementsAre(own, own)) << partition;
        EXPECT_THAT(rows<CopyWork>(all, partition), ElementsAre()) << partition;
    }
    ASSERT_EQ(all.size(), 4u);
    for (std::size_t i = 0; i < 4; ++i) {
        const auto& task = all[i];
        const auto stores = [&](const Touch& touch) {
            return touch.writes && !touch.reads && touch.out_of != task.partition && touch.written == task.rows;
        };
        EXPECT_EQ(std::count_if(task.touches.begin(), task.touches.end(), stores), 1) << "the state, and not for how many days";
        EXPECT_EQ(task.after, i < 2 ? std::vector<std::size_t>{} : (std::vector<std::size_t>{0, 1})) << i;
    }
}

// Between those that do not reach each other it is copied whole before each call, by way of the host.
TEST_F(Cycle, AlongLinksCopiesWhatOthersHaveMade) {
    const std::vector<std::string> keys{"places.person.count=5000", "links.contact.generate={rule=\"regular\",degree=4}"};
    auto all = tasks("sir_network", keys, 2, {0, 1});
    order_by_touches(all);
    for (const std::size_t partition : {0, 1}) {
        const auto others = partition == 0 ? std::pair(3, 5) : std::pair(0, 3), own = partition == 0 ? std::pair(0, 3) : std::pair(3, 5);
        EXPECT_THAT(rows<CallWork>(all, partition), ElementsAre(own, own));
        EXPECT_THAT(rows<CopyWork>(all, partition), ::testing::UnorderedElementsAre(own, others, own, others)) << "there, and from there";
    }
    for (const auto& task : all) {
        if (!std::holds_alternative<CallWork>(task.work)) continue;
        const auto is_its_copy = [&](std::size_t before) {
            return std::holds_alternative<CopyWork>(all[before].work) && all[before].partition == task.partition;
        };
        EXPECT_TRUE(std::any_of(task.after.begin(), task.after.end(), is_its_copy));
    }
}

// What no phase changes was copied before; and a grid's rows are copied, for its views store for themselves.
TEST_F(Cycle, AlongLinksCopiesWhatChangesAlone) {
    const auto still = tasks("kuramoto", {"places.oscillator.count=5000", "links.coupling.generate={rule=\"ring\",degree=2}"}, 1, {0, 1});
    EXPECT_EQ(rows<CopyWork>(still, 0).size(), 2u) << "the phase, there and from there, and no speed";
    const auto town = tasks("town", {"places.house.size=[20,30]"}, 1);
    EXPECT_THAT(rows<CopyWork>(town, 0), ::testing::Contains(std::pair(15, 30)));
}

} // namespace
} // namespace tessera::cycle_test
