// For any size, boundaries, view and number of threads, Life is that of a straight loop.
#include "tests/reference/life.hpp"
#include "tests/support/states.hpp"
#include "tests/support/world_under_test.hpp"

#include <gtest/gtest.h>
#include <rapidcheck.h>

namespace tessera::test::property_test {
namespace {

class Property : public OnDevice {
protected:
    // Each case is compiled, so that there are few; another seed tries others (RC_PARAMS="seed=7").
    template<class Testable> static void check(int cases, Testable&& testable) {
        auto parameters = rc::detail::configuration().testParams;
        parameters.maxSuccess = cases;
        parameters.disableShrinking = true;
        rc::detail::TestMetadata metadata;
        metadata.id = metadata.description = "Life on a random grid";
        const auto result = rc::detail::checkTestable(testable, metadata, parameters);
        std::ostringstream message;
        rc::detail::printResultMessage(result, message);
        EXPECT_TRUE(result.template is<rc::detail::SuccessResult>()) << message.str();
    }
    static rc::Gen<ViewChoice> view() {
        return rc::gen::build<ViewChoice>(
            rc::gen::set(&ViewChoice::kind, rc::gen::elementOf(kinds())), rc::gen::set(&ViewChoice::width, rc::gen::element(32, 64, 128)),
            rc::gen::set(&ViewChoice::cells, rc::gen::element(1, 2, 4, 8)), rc::gen::set(&ViewChoice::rows, rc::gen::inRange(1, 10)),
            rc::gen::set(&ViewChoice::lanes, rc::gen::element(32, 64, 128)));
    }
    static std::vector<ViewChoice::Kind> kinds() {
        std::vector<ViewChoice::Kind> kinds{ViewChoice::Kind::direct, ViewChoice::Kind::window};
        if (on_cpu()) kinds.push_back(ViewChoice::Kind::rows);
        return kinds;
    }
};

TEST_P(Property, AnyGridAnyViewAnyThreads) {
    check(25, [] {
        const Shape shape{*rc::gen::inRange<std::int64_t>(1, 90), *rc::gen::inRange<std::int64_t>(1, 40), 1,
                          *rc::gen::elementOf(boundaries), *rc::gen::elementOf(boundaries)};
        const auto options = Options{GetParam(), *rc::gen::inRange(1, 9), *view()};
        RC_TAG(text(shape) + ", " + to_string(*options.view) + ", " + std::to_string(options.threads) + " threads");
        const auto start = random_cells(shape, *rc::gen::arbitrary<unsigned>());
        GivenValues given;
        WorldUnderTest world(plugin("life"), geometry("cell", shape) + std::vector{given.key("cell", "alive", start, shape)}, options);
        world.step_to(23);
        RC_ASSERT(world.values<std::uint8_t>("cell", "alive") == reference::life(start, shape, 23));
    });
}

TESSERA_ON_EVERY_DEVICE(Property);

} // namespace
} // namespace tessera::test::property_test
