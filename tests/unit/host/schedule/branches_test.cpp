// Which launches of a recording wait for which.
#include "host/prepare/prepare.hpp"
#include "host/schedule/branches.hpp"
#include "host/schedule/schedule.hpp"
#include "jit/cache.hpp"
#include "tests/test_data.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace tessera::branches_test {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class Branches : public ::testing::Test {
protected:
    // The tasks of so many steps of a shipped model, as on a GPU; names are those of their kernels.
    std::vector<Task> tasks(const std::string& model, std::uint64_t steps) {
        RunRequest request{test_shipped("plugins/" + model + "/" + model + ".cu").string(), {}, {}};
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
            for (const auto phase : setup().phases.ids()) schedule.append_phase(phase, step, step, placement, all);
        for (auto& task : schedule.advance(steps)) all.push_back(std::move(task));
        return all;
    }
    [[nodiscard]] const tessera::Setup& setup() const { return prepared_.setup; }
    [[nodiscard]] std::string name(const Task& task) const {
        const auto* call = std::get_if<CallWork>(&task.work);
        if (call == nullptr) return "step";
        const auto& kernel = setup().kernels[call->kernel];
        return kernel.is_function() ? kernel.name : setup().collections[kernel.collection].name + " " + kernel.kind->name();
    }
    // What number `launch` waits for.
    [[nodiscard]] std::vector<std::string> before(const LaunchOrder& order, const std::vector<Task>& tasks, std::size_t launch) const {
        std::vector<std::string> names;
        for (const auto one : order[launch]) names.push_back(name(tasks[one]));
        return names;
    }
    [[nodiscard]] std::size_t find(const std::vector<Task>& tasks, const std::string& wanted) const {
        const auto found = std::find_if(tasks.begin(), tasks.end(), [&](const Task& task) { return name(task) == wanted; });
        EXPECT_NE(found, tasks.end()) << wanted;
        return static_cast<std::size_t>(found - tasks.begin());
    }

private:
    jit::Cache cache_;
    jit::Compiler compiler_{cache_};
    Prepared prepared_;
};

// All that comes before each launch, through others too: the plain way.
std::vector<std::vector<bool>> all_before(const LaunchOrder& order) {
    std::vector<std::vector<bool>> all;
    for (const auto& before : order) {
        std::vector<bool> mine(order.size(), false);
        for (const auto one : before) {
            mine[one] = true;
            for (std::size_t i = 0; i < one; ++i) mine[i] = mine[i] || all[one][i];
        }
        all.push_back(mine);
    }
    return all;
}

TEST_F(Branches, AreNoneWhereEachLaunchNeedsTheOneBefore) {
    const auto some = tasks("life", 5);
    const auto order = branches_of(setup(), some);
    ASSERT_THAT(order, SizeIs(6));
    EXPECT_THAT(order[0], IsEmpty());
    for (std::size_t i = 1; i < order.size(); ++i) EXPECT_THAT(order[i], ElementsAre(i - 1));
    EXPECT_TRUE(waits_for_one(order, 1));
    EXPECT_FALSE(waits_for_one(order, 0));
}

TEST_F(Branches, OfTwoKindsOfAgentsStandSideBySide) {
    const auto some = tasks("wolf_sheep", 3);
    const auto order = branches_of(setup(), some);
    EXPECT_THAT(before(order, some, find(some, "wolf.walk")), ElementsAre("sheep.walk")) << "who finds a fault is told in order";
    EXPECT_THAT(before(order, some, find(some, "sheep move_requests")), ElementsAre("sheep.walk"));
    EXPECT_THAT(before(order, some, find(some, "wolf move_requests")), ElementsAre("wolf.walk"));
    EXPECT_THAT(before(order, some, some.size() - 1), ::testing::Contains("grass.grow")) << "the count of steps is behind all";
    const auto all = all_before(order);
    for (std::size_t i = 0; i + 1 < all.size(); ++i) EXPECT_TRUE(all.back()[i]) << name(some[i]);
    const auto flee = find(some, "sheep.flee"), hunt = find(some, "wolf.hunt");
    EXPECT_FALSE(all[hunt][flee]) << "both look at who is there alone";
}

// Against the definition: who collides keeps the order, and nothing is waited for that comes before something else that is.
TEST_F(Branches, KeepTheOrderOfWhatCollidesAndNameTheNearestAlone) {
    for (const auto* model : {"wolf_sheep", "schelling", "sugarscape", "wave2d"}) {
        const auto some = tasks(model, 3);
        const auto order = branches_of(setup(), some);
        ASSERT_THAT(order, SizeIs(some.size()));
        const auto all = all_before(order);
        for (std::size_t a = 0; a < some.size(); ++a)
            for (std::size_t b = a + 1; b < some.size(); ++b)
                ASSERT_TRUE(!collide(some[a], some[b]) || all[b][a]) << model << ": " << name(some[a]) << ", " << name(some[b]);
        for (const auto& each : order)
            for (const auto a : each)
                for (const auto b : each) ASSERT_FALSE(all[b][a]) << model << ": " << name(some[a]);
    }
}

// A step of wolves and sheep: 16 launches, of which 9 wait for each other.
TEST_F(Branches, AreShorterThanTheChain) {
    const auto chain = [&](std::uint64_t steps) { return longest_chain(branches_of(setup(), tasks("wolf_sheep", steps))); };
    EXPECT_EQ(tasks("wolf_sheep", 1).size(), 17u);
    EXPECT_EQ(chain(8) - chain(4), 4u * 9);
    EXPECT_EQ(longest_chain({}), 0u);
}

} // namespace
} // namespace tessera::branches_test
