// Steps that a GPU is given together although `stop` is asked behind each, on a CPU that looks itself which launches are left out; beside a
// run that is looked at after each step.
#include "host/bind/stop_question.hpp"
#include "host/setup/asked_stop.hpp"
#include "tests/support/leaving_out.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

namespace tessera::test::stoppable_steps_test {
namespace {

constexpr std::uint64_t far_away = 4000;

bool go_on(std::uint64_t) { return true; }

class Stoppable {
public:
    Stoppable(const std::string& model, std::vector<std::string> keys, const std::string& stop)
        : prepared_(make(model, std::move(keys), stop)), device_(gpu_.in_front_of(open_device("cpu", 1))) {
        add_stop_question(prepared_.setup);
        simulation_ = std::make_unique<Simulation>(prepared_.setup, *device_, compiler(), pool_);
        const auto question = find_stop_question(prepared_.setup);
        EXPECT_TRUE(question.has_value()) << obstacle_to_asking_stop(prepared_.setup);
        simulation_->stop_at(*question);
    }
    Simulation& operator*() { return *simulation_; }
    Simulation* operator->() { return simulation_.get(); }
    [[nodiscard]] int left_out() const { return gpu_.left_out; }

private:
    static Prepared make(const std::string& model, std::vector<std::string> keys, const std::string& stop) {
        keys.insert(keys.begin(), {"output=[]", "run.steps=1", "run.stop='" + stop + "'"});
        return prepare({plugin(model), std::move(keys), {}}, compiler());
    }

    LeavingOut gpu_;
    Prepared prepared_;
    std::unique_ptr<Device> device_;
    ThreadPool pool_{1};
    std::unique_ptr<Simulation> simulation_;
};

// The first state after the present one for which it holds, one step at a time.
std::uint64_t step_until(WorldUnderTest& world, const std::function<bool()>& holds) {
    do world.step_to(world.step() + 1);
    while (!holds() && world.step() < far_away);
    return world.step();
}

std::vector<std::uint64_t> runs_of(const Simulation& simulation) {
    std::vector<std::uint64_t> runs;
    for (const auto& timing : simulation.timings()) runs.push_back(timing.runs);
    return runs;
}

// The run ends where the plain one does, in the same state, and goes on from there.
void compare(const std::string& model, const std::vector<std::string>& keys, const std::string& stop,
             const std::function<bool(WorldUnderTest&)>& holds) {
    WorldUnderTest plain(plugin(model), keys);
    Stoppable stoppable(model, keys, stop);
    for (int times = 0; times < 3; ++times) { // where it holds again in the next state, that is the next
        const auto expected = step_until(plain, [&] { return holds(plain); });
        ASSERT_LT(expected, far_away) << "it has to hold somewhere";
        stoppable->advance(far_away, go_on);
        EXPECT_EQ(stoppable->step(), expected);
        EXPECT_EQ(stoppable->hash(), plain.hash());
        EXPECT_EQ(runs_of(*stoppable), runs_of(plain.simulation()));
    }
    EXPECT_GT(stoppable.left_out(), 0);
}

TEST(StoppableSteps, EndWithTheFirstStateForWhichItHolds) {
    compare("life", {"places.cell.size=[37,29]"}, "count(cell.alive == 1) < 150 and step >= 20", [](WorldUnderTest& world) {
        const auto alive = world.values<std::uint8_t>("cell", "alive");
        return std::count(alive.begin(), alive.end(), 1) < 150 && world.step() >= 20;
    });
}

// Behind many, more are given together.
TEST(StoppableSteps, EndAfterManySteps) {
    compare("life", {"places.cell.size=[12,9]"}, "count(cell.alive == 1) >= 0 and step >= 2021",
            [](WorldUnderTest& world) { return world.step() >= 2021; });
}

TEST(StoppableSteps, EndWithAgentsInSlots) {
    compare("wolf_sheep", {"places.grass.size=[40,40]", "agents.sheep.count=200", "agents.wolf.count=60"},
            "count(sheep) < 190 and step > 12", [](WorldUnderTest& world) {
                return world.simulation().population(require_collection(world.setup(), "sheep", {})) < 190 && world.step() > 12;
            });
}

TEST(StoppableSteps, EndNoLaterThanAsked) {
    Stoppable stoppable("life", {"places.cell.size=[37,29]"}, "count(cell.alive == 1) < 0");
    WorldUnderTest plain(plugin("life"), {"places.cell.size=[37,29]"});
    for (const std::uint64_t step : {1, 2, 30, 31, 60}) {
        stoppable->advance(step, go_on);
        plain.step_to(step);
        EXPECT_EQ(stoppable->step(), step);
        EXPECT_EQ(stoppable->hash(), plain.hash());
    }
    EXPECT_EQ(stoppable.left_out(), 0);
}

// What is wrong with it the host finds out in that state, and says.
TEST(StoppableSteps, EndWhereTheConditionCannotBeTold) {
    Stoppable stoppable("life", {"places.cell.size=[37,29]"}, "count(cell.alive == 1) % (step - 7) < 0");
    stoppable->advance(far_away, go_on);
    EXPECT_EQ(stoppable->step(), 7U);
}

std::string obstacle_of(std::vector<std::string> keys) {
    keys.insert(keys.begin(), {"output=[]", "run.steps=1"});
    return obstacle_to_asking_stop(prepare({plugin("wolf_sheep"), keys, {}}, compiler()).setup);
}

TEST(StoppableSteps, AreForConditionsOfTheState) {
    EXPECT_EQ(obstacle_of({}), "");
    EXPECT_EQ(obstacle_of({"run.stop='count(wolf) == 0'"}), "");
    EXPECT_EQ(obstacle_of({"run.stop='count(wolf) == 0'", "run.stop_every=2"}), "`stop_every` is more than 1");
    EXPECT_EQ(obstacle_of({"run.stop='step > 7'"}), "it goes over no places or agents");
    EXPECT_EQ(obstacle_of({"run.stop='births(wolf) > 7'"}), "it asks for what was counted since step 0");
    EXPECT_EQ(obstacle_of({"run.stop='births(wolf) > 7 or count(wolf) == 0'"}), "it asks for what was counted since step 0");
}

} // namespace
} // namespace tessera::test::stoppable_steps_test
