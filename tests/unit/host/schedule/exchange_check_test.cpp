// Phases that read what was written and not exchanged: the first step in which they do is found, however late.
#include "device_runtime/error.hpp"
#include "host/schedule/exchange_check.hpp"
#include "tests/support/world_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace tessera::test::exchange_check_test {
namespace {

using ::testing::HasSubstr;

// What is said of Life's rule with these phases, in `steps` steps; empty: nothing.
std::string said_of(const std::string& phases, int steps) {
    try {
        check_exchanges(prepare({plugin("life"),
                                 {"output=[]", "places.cell.size=[9,8]", "schedule.exchange=\"explicit\"",
                                  "run.steps=" + std::to_string(steps), "phase=[" + phases + "]"},
                                 {}},
                                compiler())
                            .setup);
    } catch (const Error& error) {
        return error.what();
    }
    return {};
}
std::string each(const char* what, const std::string& timing = {}) { return "{" + std::string(what) + timing + "},"; }

constexpr const char *tick = "callAll='cell.tick'", *exchange = "exchangeAll='cell'";

TEST(ExchangeCheck, FindsTheFirstStepHoweverLate) {
    // Made in steps 3, 10, 17, ...; exchanged as often, until the last time before 900, which is 899.
    const auto phases = each(exchange, ",every=7,from=3,until=900") + each(tick, ",every=7,from=3");
    EXPECT_THAT(said_of(phases, 100'000), HasSubstr("step 906: callAll cell.tick reads cell.alive of its neighbours"));
    EXPECT_EQ(said_of(phases, 906), "");
}

TEST(ExchangeCheck, FindsPhasesThatMeetRarely) {
    // What is made in step 5, and in each 105th from there, reads what was written two steps before, and exchanged in the step between.
    EXPECT_EQ(
        said_of(each(exchange, ",every=3") + each(exchange, ",every=3,from=1") + each(tick, ",every=3") + each(tick, ",every=105,from=5"),
                100'000),
        "");
    EXPECT_THAT(said_of(each(exchange, ",every=3") + each(tick, ",every=3") + each(tick, ",every=105,from=5"), 100'000),
                HasSubstr("step 5: "));
}

TEST(ExchangeCheck, FollowsPhasesThatEndLate) {
    EXPECT_EQ(said_of(each(exchange) + each(tick), 100'000), "");
    EXPECT_THAT(said_of(each(exchange, ",until=99990") + each(tick), 100'000), HasSubstr("step 99990: "));
}

} // namespace
} // namespace tessera::test::exchange_check_test
