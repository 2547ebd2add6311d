// How many rows a cycle copies and makes, where partitions have memory of their own.
#include "host/prepare/prepare.hpp"
#include "host/schedule/cycle.hpp"
#include "host/schedule/schedule.hpp"
#include "jit/cache.hpp"
#include "tests/support/stripes.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera {
namespace {

using ::testing::ElementsAre;

class Cycle : public ::testing::Test {
protected:
    // The tasks of so many steps of a shipped model on two devices.
    std::vector<Task> tasks(const std::string& model, std::vector<std::string> keys, std::uint64_t steps) {
        prepared_ = prepare({test_shipped("plugins/" + model + "/" + model + ".cu").string(), std::move(keys), {}}, compiler_);
        const auto& bound = prepared_.setup;
        const auto setup = arranged(bound, test::in_own_memory(bound, divided(bound, 2), steps, steps));
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

// A call along links reads anywhere: each is sent what the other has made of what is read there, and makes its own rows alone. Lists of
// links are everybody's own.
TEST_F(Cycle, AlongLinksCopiesWhatOthersHaveMade) {
    const auto all = tasks("sir_network", {"places.person.count=5000", "links.contact.generate={rule=\"regular\",degree=4}"}, 2);
    for (const std::size_t partition : {0, 1}) {
        const auto own = partition == 0 ? std::pair(0, 3) : std::pair(3, 5), others = partition == 0 ? std::pair(3, 5) : std::pair(0, 3);
        EXPECT_THAT(rows<CallWork>(all, partition), ElementsAre(own, own)) << partition;
        EXPECT_THAT(rows<CopyWork>(all, partition), ElementsAre(others, others)) << partition;
    }
    // Each copy before the call of its step, of what the call before has written.
    std::vector<Task> ordered = all;
    order_by_touches(ordered);
    for (std::size_t i = 0; i < ordered.size(); ++i) {
        const auto* const call = std::get_if<CallWork>(&ordered[i].work);
        if (call == nullptr) continue;
        const auto is_copy = [&](std::size_t before) { return std::holds_alternative<CopyWork>(ordered[before].work); };
        EXPECT_TRUE(std::any_of(ordered[i].after.begin(), ordered[i].after.end(), is_copy)) << i;
    }
}

// What no phase changes was copied before.
TEST_F(Cycle, CopiesNothingThatStaysAlongLinks) {
    const auto all = tasks("kuramoto", {"places.oscillator.count=5000", "links.coupling.generate={rule=\"ring\",degree=2}"}, 1);
    EXPECT_EQ(rows<CopyWork>(all, 0).size(), 1u) << "the phase, and no speed";
}

} // namespace
} // namespace tessera
