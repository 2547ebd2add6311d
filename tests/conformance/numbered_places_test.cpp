// Places that have a `count` and no `size`: what they are and draw is what places of a grid with rows of 1024 are and draw, whatever their
// number, and nothing of the short last row is counted, drawn or seen.
#include "tests/conformance/dice.hpp"
#include "tests/support/states.hpp"
#include "tests/support/stripes.hpp"
#include "tests/support/world_under_test.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace tessera::test::numbered_places_test {
namespace {

const std::vector<std::string> earning{"phase=[{callAll=\"person.earn\"},{reduce={total=\"sum(person.luck)\"}},{callAll=\"person.tax\"}]",
                                       "places.person.init.wealth={random=\"uniform\",low=1,high=5}"};

class NumberedPlaces : public OnDevice {
protected:
    static std::vector<std::string> counted(std::int64_t count, const std::vector<std::string>& more = earning) {
        return more + std::vector<std::string>{fmt::format("places.person.count={}", count)};
    }
};

template<class T> std::vector<T> first_of(std::vector<T> values, std::int64_t count) {
    values.resize(static_cast<std::size_t>(count));
    return values;
}

// Whole rows: the same columns, values of the step among them.
TEST_P(NumberedPlaces, OfWholeRowsAreThoseOfAGridOfSuchRows) {
    WorldUnderTest grid(test_model("census"), earning + geometry("person", reference::plane(1024, 5, Boundary::open)), on_this());
    WorldUnderTest numbered(test_model("census"), counted(5120), on_this());
    grid.step_to(7), numbered.step_to(7);
    EXPECT_EQ(numbered.values<float>("person", "wealth"), grid.values<float>("person", "wealth"));
    EXPECT_EQ(numbered.values<std::int32_t>("person", "luck"), grid.values<std::int32_t>("person", "luck"));
    EXPECT_EQ(numbered.values<std::uint16_t>("person", "last"), grid.values<std::uint16_t>("person", "last"));
}

// Any number: each place is what it is among more of them, and the sum is that of those that there are.
TEST_P(NumberedPlaces, AreAsManyAsTheyAre) {
    const auto without_tax =
        std::vector<std::string>{"phase=[{callAll=\"person.earn\"},{reduce={total=\"sum(person.luck)\"}}]", earning[1]};
    WorldUnderTest all(test_model("census"), counted(5120, without_tax), on_this());
    all.step_to(3);
    for (const std::int64_t count : {1, 1023, 1025, 5000}) {
        WorldUnderTest some(test_model("census"), counted(count, without_tax), on_this());
        some.step_to(3);
        EXPECT_EQ(some.values<float>("person", "wealth"), first_of(all.values<float>("person", "wealth"), count)) << count;
        const auto luck = some.values<std::int32_t>("person", "luck");
        EXPECT_EQ(luck, first_of(all.values<std::int32_t>("person", "luck"), count)) << count;
    }
}

// What all have is added up once, over what there is: taxes that go by it are those of a plain loop.
TEST_P(NumberedPlaces, AreAddedUpWithoutTheRestOfTheLastRow) {
    for (const std::int64_t count : {1, 1025}) {
        WorldUnderTest before(test_model("census"), counted(count, {"phase=[{callAll=\"person.earn\"}]", earning[1]}), on_this());
        WorldUnderTest world(test_model("census"), counted(count), on_this());
        before.step_to(1), world.step_to(1);
        auto wealth = before.values<float>("person", "wealth");
        double total = 0;
        for (const auto luck : before.values<std::int32_t>("person", "luck")) total += luck;
        for (auto& one : wealth) one -= static_cast<float>(total / 1e6);
        EXPECT_EQ(world.values<float>("person", "wealth"), wealth) << count;
    }
}

TEST_P(NumberedPlaces, KnowTheirNumbers) {
    WorldUnderTest world(test_model("census"), counted(1500, {"phase=[{callAll=\"person.register_\"}]"}), on_this());
    world.step_to(1);
    const auto numbers = world.values<std::int64_t>("person", "number");
    ASSERT_EQ(numbers.size(), 1500u);
    for (std::size_t i = 0; i < numbers.size(); ++i) ASSERT_EQ(numbers[i], static_cast<std::int64_t>(i));
    EXPECT_EQ(world.values<std::int64_t>("person", "among"), std::vector<std::int64_t>(1500, 1500));
}

// By any number of threads, cut anywhere, with memory of their own or without: one state.
TEST_P(NumberedPlaces, AreTheSameHoweverTheyAreShared) {
    WorldUnderTest expected(test_model("census"), counted(5000), on_this());
    expected.step_to(6);
    const auto prepared = prepare(
        for_any_devices({test_model("census"), counted(5000) + std::vector<std::string>{"output=[]", "run.steps=1"}, {}}), compiler());
    const auto device = open_device(GetParam(), 2);
    ThreadPool pool(2);
    Dice dice(5);
    const auto draw = [&] { return dice.below(1000); };
    for (const bool own_memory : {false, true}) {
        auto distribution = cut_anywhere(prepared.setup, 3, draw);
        if (own_memory) distribution = in_own_memory(prepared.setup, divided(prepared.setup, 3), 1, 1);
        const auto setup = arranged(prepared.setup, distribution);
        Simulation simulation(setup, std::vector<Device*>(3, device.get()), compiler(), pool);
        simulation.advance(6, [](std::uint64_t) { return true; });
        EXPECT_EQ(simulation.hash(), expected.hash()) << own_memory;
    }
}

// A state that was taken on one device goes on over several.
TEST_P(NumberedPlaces, GoOnFromASnapshot) {
    const auto keys = counted(2500);
    WorldUnderTest whole(test_model("census"), keys, on_this());
    whole.step_to(2);
    const auto snapshot = whole.simulation().snapshot();
    whole.step_to(5);
    const auto prepared =
        prepare(for_any_devices({test_model("census"), keys + std::vector<std::string>{"output=[]", "run.steps=1"}, {}}), compiler());
    const auto setup = arranged(prepared.setup, divided(prepared.setup, 2));
    const auto device = open_device(GetParam(), 1);
    ThreadPool pool(1);
    Simulation simulation(setup, std::vector<Device*>(2, device.get()), compiler(), pool, {}, &snapshot);
    simulation.advance(5, [](std::uint64_t) { return true; });
    EXPECT_EQ(simulation.hash(), whole.hash());
    const auto other =
        prepare({test_model("census"), counted(2501) + std::vector<std::string>{"output=[]", "run.steps=1"}, {}}, compiler());
    try {
        Simulation refused(other.setup, {device.get()}, compiler(), pool, {}, &snapshot);
        FAIL() << "a state of 2500 places was taken for one of 2501";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("give it the `count` that it had"), std::string::npos) << error.what();
    }
}

// A checked run visits each place, the last one too.
TEST_P(NumberedPlaces, AreAllVisitedByCheckedRuns) {
    if (GetParam() != "cpu") GTEST_SKIP() << "CPUs alone tell of a division by zero";
    auto options = on_this();
    options.check = true;
    options.threads = 1; // as a checked run has, for what threads find side by side is written to one place
    WorldUnderTest world(test_model("census"), counted(1100, {"phase=[{callAll=\"person.divide\"}]", "params.divisor=0"}), options);
    try {
        world.step_to(1);
        FAIL() << "a division by zero went unnoticed";
    } catch (const Error& error) {
        EXPECT_NE(std::string(error.what()).find("person.divide divides 100 by 0 on place 1099"), std::string::npos) << error.what();
    }
}

TESSERA_ON_EVERY_DEVICE(NumberedPlaces);

} // namespace
} // namespace tessera::test::numbered_places_test
