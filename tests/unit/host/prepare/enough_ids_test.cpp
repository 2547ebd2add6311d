// Runs that are so long that ids may not last for their births: a word before they begin.
#include "tests/support/program_under_test.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace tessera::enough_ids_test {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using testing::write_text;

class EnoughIds : public testing::CommandLine {
protected:
    void SetUp() override {
        CommandLine::SetUp();
        if (!has_compiler()) GTEST_SKIP() << "there is no C++ compiler";
        write_text(here() / "mites.cu", R"cu(#include <tessera/model.hpp>
struct Spot { int born = 0; };
TESSERA_PLACE(Spot, born);
struct Mite { int age = 0; };
TESSERA_AGENT(Mite, on<Spot>, age);
TESSERA_CALL(Spot, breed, writes<&Spot::born>, spawns<Mite>) { self.born += 1; self.spawn(Mite{}); }
TESSERA_MODEL(mites, "mites that are born")
TESSERA_DEFAULTS(R"toml(run = { steps = 10, devices = "cpu", stop = "step >= 1" }
places.spot.size = [1, 1]
agents.mite.count = 0
phase = [{ callAll = "spot.breed" }, { manageAll = "mite" }])toml")
)cu");
    }
    // What is said of a run of so many steps.
    [[nodiscard]] std::string check(const std::string& steps, const std::string& phases = "") const {
        std::vector<std::string> arguments{"check", "./mites.cu", "--set", "run.steps=" + steps};
        if (!phases.empty()) arguments.insert(arguments.end(), {"--set", "phase=" + phases});
        const auto outcome = tessera(arguments);
        EXPECT_EQ(outcome.status, 0) << outcome.err;
        return outcome.out;
    }
    static std::string told(const std::string& step, const std::string& steps) {
        return "births of mite may end the run in step " + step + " of " + steps + " (an id has 24 bits for ";
    }
};

TEST_F(EnoughIds, AreCountedByStepsPhasesAndRounds) {
    const std::string births = "{callAll=\"spot.breed\"},{manageAll=\"mite\"";
    EXPECT_THAT(check("16777215"), Not(HasSubstr("births of mite")));
    EXPECT_THAT(check("16777216"), HasSubstr(told("16777215", "16777216")));
    const auto rounds = "[{repeat={phases=[" + births + "}],times=20}}]";
    EXPECT_THAT(check("838860", rounds), Not(HasSubstr("births of mite"))); // 20 * 838860 are 16777200
    EXPECT_THAT(check("838861", rounds), HasSubstr(told("838860", "838861")));
    const std::string seldom = "[{callAll=\"spot.breed\",every=2,from=3},{manageAll=\"mite\",every=2,from=3}]"; // number n in step 2 n + 1
    EXPECT_THAT(check("33554433", seldom), Not(HasSubstr("births of mite")));
    EXPECT_THAT(check("33554434", seldom), HasSubstr(told("33554433", "33554434")));
}

TEST_F(EnoughIds, AreLookedAtWhenARunBegins) {
    const auto outcome = tessera({"run", "./mites.cu", "--steps", "16777300", "--out", "out"});
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    EXPECT_THAT(outcome.err, HasSubstr("warning: " + told("16777215", "16777300")));
}

} // namespace
} // namespace tessera::enough_ids_test
