// Which tasks one launch makes together.
#include "host/prepare/prepare.hpp"
#include "host/schedule/chained_tasks.hpp"
#include "host/schedule/schedule.hpp"
#include "jit/cache.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::chained_tasks_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class ChainedTasks : public ::testing::Test {
protected:
    // The tasks of so many steps of a shipped model, as on a GPU, with those of phases [first, end) alone.
    std::vector<Task> tasks(const std::string& model, std::uint64_t steps, const std::vector<std::string>& keys = {}, std::size_t first = 0,
                            std::size_t end = 1000) {
        RunRequest request{test_shipped("plugins/" + model + "/" + model + ".cu").string(), keys, {}};
        request.on_one_cpu = false;
        prepared_ = prepare(request, compiler_);
        Placement placement;
        for (const auto column : setup().columns.ids()) {
            placement.current.push_back(static_cast<int>(column.index()));
            placement.spare.push_back(setup()[column].has_spare ? static_cast<int>(100 + column.index()) : Placement::none);
        }
        const Schedule schedule(setup());
        std::vector<Task> all;
        for (std::uint64_t step = 0; step < steps; ++step)
            for (const auto phase : setup().phases.ids())
                if (phase.index() >= first && phase.index() < end) schedule.append_phase(phase, step, step, placement, all);
        return all;
    }
    [[nodiscard]] const tessera::Setup& setup() const { return prepared_.setup; }
    [[nodiscard]] const KernelSetup& kernel(const Task& task) const { return setup().kernels[std::get<CallWork>(task.work).kernel]; }
    // The names of kernels, a list for each launch that makes several.
    [[nodiscard]] std::vector<std::vector<std::string>> several(const std::vector<Task>& all) const {
        std::vector<std::vector<std::string>> names;
        chains_ = chains_of(setup());
        for (const auto& launch : launched_together(chains_, all)) {
            if (launch.tasks.size() < 2) continue;
            names.emplace_back();
            for (const auto task : launch.tasks) {
                const auto& of = kernel(all[task]);
                names.back().push_back(of.is_function() ? of.name : setup().collections[of.collection].name + " " + of.kind->name());
            }
        }
        return names;
    }

    mutable Chains chains_;

private:
    jit::Cache cache_;
    jit::Compiler compiler_{cache_};
    Prepared prepared_;
};

TEST_F(ChainedTasks, AreThoseThatLookNoFurtherThanTheirPlace) {
    const auto all = several(tasks("wolf_sheep", 2));
    ASSERT_THAT(all, SizeIs(5));
    EXPECT_THAT(all[0], ElementsAre("sheep.walk", "wolf.walk"));
    EXPECT_THAT(all[1], ElementsAre("sheep move_requests", "wolf move_requests")) << "which do not collide";
    EXPECT_THAT(all[2], ElementsAre("sheep marked_slots", "wolf marked_slots", "sheep.graze", "sheep shares", "sheep births",
                                    "sheep slots_and_birth_requests", "sheep.flee", "wolf.hunt", "wolf births", "sheep slots",
                                    "wolf slots_and_birth_requests", "grass.grow", "sheep.walk", "wolf.walk"))
        << "goes on into the next step";
    EXPECT_EQ(all[3], all[1]);
    EXPECT_THAT(all[4], SizeIs(12));
    EXPECT_EQ(chains_.codes.size(), 2u) << "one entry point for all but move requests";
}

TEST_F(ChainedTasks, OfRoundsHaveOneEntryPoint) {
    const auto all = several(tasks("schelling", 1));
    ASSERT_THAT(all, SizeIs(21));
    EXPECT_THAT(all[0], ElementsAre("person.draw", "person bid_for_places"));
    EXPECT_THAT(all[1], ElementsAre("person marked_slots", "person.settle", "person.draw", "person bid_for_places"));
    EXPECT_THAT(all[20], ElementsAre("person marked_slots", "person.settle"));
    EXPECT_EQ(launched_together(chains_, tasks("schelling", 1)).size(), 42u) << "feel, 20 times two, and the end";
    EXPECT_EQ(chains_.codes.size(), 2u) << "this, and granting";
}

// Against the definition: each task once, and what collides keeps its order, also where a list has some of the phases alone.
TEST_F(ChainedTasks, KeepTheOrderOfWhatCollides) {
    for (const auto* model : {"wolf_sheep", "schelling", "random_walk", "sugarscape"})
        for (std::size_t first = 0; first < 6; ++first)
            for (const std::size_t end : {first + 1, first + 3, std::size_t{1000}}) {
                const auto all = tasks(model, 3, {}, first, end);
                const auto chains = chains_of(setup());
                std::vector<std::size_t> place(all.size(), 0);
                std::size_t number = 0;
                for (const auto& launch : launched_together(chains, all))
                    for (const auto task : launch.tasks) place[task] = ++number;
                ASSERT_EQ(number, all.size());
                ASSERT_EQ(std::count(place.begin(), place.end(), 0u), 0);
                for (std::size_t a = 0; a < all.size(); ++a)
                    for (std::size_t b = a + 1; b < all.size(); ++b)
                        if (collide(all[a], all[b]) || kernel(all[a]).collection == kernel(all[b]).collection) {
                            ASSERT_LT(place[a], place[b]) << model << ": " << kernel(all[a]).name << ", " << kernel(all[b]).name;
                        }
            }
}

TEST_F(ChainedTasks, AreJoinedWithAllThatTheirPartsTouch) {
    const auto all = tasks("wolf_sheep", 1);
    const auto chains = chains_of(setup());
    const auto launches = launched_together(chains, all);
    const auto joined = joined_tasks(setup(), launches, all);
    ASSERT_EQ(joined.size(), launches.size());
    for (std::size_t i = 0; i < joined.size(); ++i) {
        std::size_t touches = 0;
        for (const auto task : launches[i].tasks) touches += all[task].touches.size();
        EXPECT_GE(joined[i].touches.size(), touches);
    }
}

TEST_F(ChainedTasks, AreNoneOfLargeWorldsOfChosenViewsAndOfPlacesAlone) {
    EXPECT_THAT(several(tasks("wolf_sheep", 1, {"places.grass.size=[1000,1000]"})), IsEmpty());
    EXPECT_THAT(several(tasks("wolf_sheep", 1, {"schedule.view=\"direct\""})), IsEmpty());
    EXPECT_THAT(several(tasks("wave2d", 3)), IsEmpty());
}

} // namespace
} // namespace tessera::chained_tasks_test
