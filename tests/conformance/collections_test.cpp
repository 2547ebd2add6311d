// Several collections of one row type, and what the run file gives of their first state.
// sanitizers: address
#include "tests/conformance/runs_of_plugins.hpp"
#include "tests/reference/leadership.hpp"
#include "tests/reference/life.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>

namespace tessera::test::collections_test {
namespace {

class Collections : public OnDevice {};

// Each with its own size, dimensions, boundary and schedule.
TEST_P(Collections, OfOneTypeLiveOnTheirOwn) { expect_life_in_each_collection(plugin("life"), on_this()); }

// `north.sea_tick` and `north_sea.tick` are two functions.
TEST_P(Collections, AreToldApartFromTheirFunctionsByTheDot) {
    const TemporaryFolder folder;
    const auto model =
        folder.write("waters.cu", "#include <tessera/model.hpp>\nstruct Sea { int level = 0; };\nTESSERA_PLACE(Sea, level);\n"
                                  "TESSERA_CALL(Sea, tick, writes<&Sea::level>) { self.level += 1; }\n"
                                  "TESSERA_CALL(Sea, sea_tick, writes<&Sea::level>) { self.level += 100; }\n"
                                  "TESSERA_MODEL(waters, \"two seas\");\n");
    const auto shape = reference::plane(9, 5, Boundary::torus);
    WorldUnderTest world(model.string(),
                         std::vector<std::string>{"places.north.type=\"sea\"", "places.north_sea.type=\"sea\"",
                                                  "phase=[{callAll=\"north.sea_tick\"},{callAll=\"north_sea.tick\"}]"} +
                             geometry("north", shape) + geometry("north_sea", shape),
                         on_this());
    world.step_to(3);
    expect_same(world.values<std::int32_t>("north", "level"), std::vector<std::int32_t>(shape.count(), 300), shape, "north");
    expect_same(world.values<std::int32_t>("north_sea", "level"), std::vector<std::int32_t>(shape.count(), 3), shape, "north_sea");
}

// Init functions run for each, and draw for each its own numbers.
TEST_P(Collections, DrawTheirOwnNumbers) {
    const auto shape = reference::plane(31, 17, Boundary::open);
    WorldUnderTest world(plugin("leadership"),
                         std::vector<std::string>{"places.other.type=\"person\"",
                                                  "phase=[{exchangeAll=\"*\"},{callAll=\"person.decide\"},{callAll=\"other.decide\"}]"} +
                             geometry("person", shape) + geometry("other", shape),
                         on_this());
    EXPECT_NE(world.values<float>("person", "lambda"), world.values<float>("other", "lambda"));
    for (const std::string name : {"person", "other"}) {
        reference::Leadership people{world.values<std::int8_t>(name, "behaviour"), world.values<std::int8_t>(name, "propensity"),
                                     world.values<float>(name, "lambda"), world.values<float>(name, "loyalty")};
        const auto drawn = people.loyalty;
        reference::leadership_weigh(people);
        expect_same(drawn, people.loyalty, shape, name);
    }
}

// Two members of a first state are drawn, one is given, and the last is computed from what stands there.
TEST_P(Collections, GivenValuesStayWhateverInitFunctionsWrite) {
    const auto shape = reference::plane(31, 17, Boundary::open);
    WorldUnderTest drawn(plugin("leadership"), geometry("person", shape), on_this());
    WorldUnderTest world(plugin("leadership"), geometry("person", shape) + std::vector<std::string>{"places.person.init.lambda=0.25"},
                         on_this());
    expect_same(world.values<std::int8_t>("person", "behaviour"), drawn.values<std::int8_t>("person", "behaviour"), shape, "behaviour");
    expect_same(world.values<std::int8_t>("person", "propensity"), drawn.values<std::int8_t>("person", "propensity"), shape, "propensity");
    expect_same(world.values<float>("person", "lambda"), std::vector<float>(shape.count(), 0.25f), shape, "lambda");
    reference::Leadership people{world.values<std::int8_t>("person", "behaviour"),
                                 world.values<std::int8_t>("person", "propensity"),
                                 world.values<float>("person", "lambda"),
                                 {}};
    reference::leadership_weigh(people);
    expect_same(world.values<float>("person", "loyalty"), people.loyalty, shape, "loyalty");
    reference::leadership(people, shape, 20); // the neighbours see it as well
    world.step_to(20);
    expect_same(world.values<float>("person", "lambda"), people.lambda, shape, "lambda after 20 steps");
}

TESSERA_ON_EVERY_DEVICE(Collections);

} // namespace
} // namespace tessera::test::collections_test
